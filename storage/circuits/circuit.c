/*
 * Finds circuits; see circuit.h. The targets are divided into batches whose
 * distances fit BATCH_BYTES. For each batch, the distances from all vertices to
 * its targets are found first. Then, for each source and each vertex, the bound
 * of each target is subtracted from the distance of the vertex to this target.
 * The least of these differences decides whether the vertex is in the circuit
 * of the source. Only the arcs into such vertices are visited.
 */
#include "storage/circuits/circuit.h"

#include <math.h>
#include <string.h>

#include "daemon/base/auto.h"

enum {
	BATCH_BYTES = 32 << 20,
	/* How many steps each kind of reading counts as. Making a column counts
	   COLUMN_STEPS for each vertex. Reading a row counts ROW_STEPS, and
	   CELL_STEPS for each cell. Reading a cell of a column counts
	   CELL_STEPS and COLUMN_CELL_STEPS. */
	COLUMN_STEPS = 8,
	CELL_STEPS = 8,
	ROW_STEPS = 64,
	COLUMN_CELL_STEPS = 8,
};

enum phase {
	PHASE_BATCH,
	PHASE_READ,
	PHASE_COLUMNS,
	PHASE_SOURCE,
	PHASE_SCAN,
	PHASE_READY,
	PHASE_DONE,
};

/* Choose the kind of the rows of distances. If lengths are whole and no sum of
   three distances has more than 53 bits, doubles hold all sums exactly. */
static enum apsp_row_kind kind_of(const struct apsp_circuit_question *q,
	const struct apsp_tables *tables, const struct apsp_adjacency *graph)
{
	struct apsp_path_cost_unit unit;
	double most;

	if (!apsp_circuit_reads_tables(q))
		return APSP_ROW_KIND_STEPS;
	if (tables->header.distance_kind == APSP_DISTANCE_SUM)
		return APSP_ROW_KIND_EXACT;
	unit = apsp_path_cost_unit_of(graph->unit.exponent, 0);
	most = apsp_path_cost_units(&unit, graph->facts.largest) *
	       graph->n_vertices;
	return most < 0x1p50 ? APSP_ROW_KIND_TABLE : APSP_ROW_KIND_EXACT;
}

static uint32_t batch_size_of(const struct apsp_circuit_question *q,
	enum apsp_row_kind kind, uint64_t n_vertices)
{
	uint64_t one = apsp_target_batch_bytes(kind, n_vertices, 1);
	/* `one` is the size of a batch of APSP_TARGET_LANES targets, because
	   batches are padded to a multiple of this number */
	uint64_t size = BATCH_BYTES / one * APSP_TARGET_LANES;

	if (size == 0)
		size = APSP_TARGET_LANES;
	if (q->max_batch)
		size = q->max_batch;
	return size < q->n_targets ? (uint32_t)size : q->n_targets;
}

uint64_t apsp_circuit_bytes(
	const struct apsp_circuit_question *q, const struct apsp_tables *tables)
{
	uint64_t n = tables->header.n_vertices, m = tables->header.n_arcs;
	/* the kind of the rows is not known yet, so assume the kind that takes
	   most memory. A batch of another kind has more targets, but not more
	   bytes */
	enum apsp_row_kind kind = APSP_ROW_KIND_EXACT;
	uint64_t size = batch_size_of(q, APSP_ROW_KIND_STEPS, n);

	return apsp_target_batch_bytes(kind, n, batch_size_of(q, kind, n)) +
	       2 * apsp_exact_row_bytes(kind, n) + 2 * n * sizeof(uint64_t) +
	       apsp_row_reader_bytes(tables, 0, false) +
	       (apsp_table_on_demand(&tables->header)
			       ? apsp_row_reader_columns_bytes(tables, 1)
			       : 0) +
	       apsp_circuit_marks_bytes(q, n, m, size) +
	       (n + m) * sizeof(uint32_t) +
	       2 * (q->max_arcs + 1) *
		       (sizeof(struct apsp_circuit_arc) +
			       sizeof(struct apsp_circuit_vertex));
}

uint64_t apsp_circuit_steps(
	const struct apsp_circuit_question *q, const struct apsp_tables *tables)
{
	uint64_t n = tables->header.n_vertices, m = tables->header.n_arcs;
	uint64_t pairs = (uint64_t)q->n_sources * q->n_targets;
	uint64_t ends = (uint64_t)q->n_sources + q->n_targets;
	uint64_t cells, visits, all;

	if (__builtin_mul_overflow(pairs, n, &cells) ||
		__builtin_mul_overflow(ends, m, &visits) ||
		__builtin_add_overflow(cells, visits, &all))
		return UINT64_MAX;
	return all;
}

void apsp_circuit_done(struct apsp_circuit *c)
{
	apsp_circuit_answer_done(&c->answer);
	apsp_circuit_marks_done(&c->marks);
	apsp_target_batch_done(&c->batch);
	apsp_exact_row_done(&c->from_source);
	apsp_exact_row_done(&c->to_target);
	apsp_walk_row_done(&c->walks_from);
	apsp_walk_row_done(&c->walks_to);
	apsp_row_reader_free(c->reader);
	memset(c, 0, sizeof(*c));
}

static bool exactly(const struct apsp_circuit *c)
{
	return c->question.bound == APSP_CIRCUIT_HOPS_EXACTLY;
}

static int rows_new(struct apsp_circuit *c, struct apsp_err *err)
{
	int r;

	if (exactly(c)) {
		r = apsp_walk_row_init(c->graph, false, &c->walks_from, err);
		return r < 0 ? r
			     : apsp_walk_row_init(
				       c->graph, true, &c->walks_to, err);
	}
	r = apsp_exact_row_init(c->graph, c->kind, false, &c->from_source, err);
	return r < 0 ? r
		     : apsp_exact_row_init(
			       c->graph, c->kind, true, &c->to_target, err);
}

int apsp_circuit_begin(const struct apsp_circuit_question *question,
	struct apsp_tables *tables, const struct apsp_adjacency *graph,
	struct apsp_circuit *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_circuit_done)
	struct apsp_circuit c = {
		.question = *question,
		.tables = tables,
		.graph = graph,
		.kind = kind_of(question, tables, graph),
	};
	int r;

	c.batch_size = batch_size_of(question, c.kind, graph->n_vertices);
	if (question->n_sources == 0 || question->n_targets == 0)
		c.phase = PHASE_READY;
	r = apsp_circuit_marks_init(
		question, graph, c.batch_size, &c.marks, err);
	if (r == 0)
		r = rows_new(&c, err);
	if (r == 0)
		*out = APSP_TAKE(c);
	return r;
}

/* Whether distances of the tables are read. */
static bool reads_tables(const struct apsp_circuit *c)
{
	return c->kind != APSP_ROW_KIND_STEPS;
}

static int batch_begin(struct apsp_circuit *c, struct apsp_err *err)
{
	uint32_t left = c->question.n_targets - c->first_target;
	uint32_t n = left < c->batch_size ? left : c->batch_size;
	const uint32_t *targets = c->question.targets + c->first_target;
	int r;

	apsp_row_reader_free(c->reader);
	c->reader = NULL;
	apsp_target_batch_done(&c->batch);
	r = apsp_target_batch_init(
		&c->question, c->graph, c->kind, targets, n, &c->batch, err);
	c->place = c->n_read = 0;
	c->started = false;
	c->phase = reads_tables(c) ? PHASE_READ : PHASE_COLUMNS;
	return r;
}

/* Make a reader of distances. If n is above 0, it reads distances to the next n
   targets of the batch, whose distances were not read yet. If n is 0, it reads
   distances to all vertices. */
static int reader_open(struct apsp_circuit *c, uint32_t n, struct apsp_err *err)
{
	const unsigned int values = APSP_ROW_DISTANCE | APSP_ROW_ROUNDED;
	const uint32_t *targets = c->batch.targets + c->n_read;

	if (n > 0 && apsp_table_on_demand(&c->tables->header))
		return apsp_row_reader_new_columns(
			c->tables, values, targets, n, &c->reader, err);
	return apsp_row_reader_new(
		c->tables, values, n > 0 ? targets : NULL, n, &c->reader, err);
}

/*
 * Read the tables' distances from all vertices to the targets of the batch. If
 * rows come on demand, the columns of the targets are read, one after the
 * other. Otherwise rows are read, and each row is read for all targets
 * together. Returns 1 if more turns are needed.
 */
static int distances_read(struct apsp_circuit *c,
	struct apsp_circuit_work *work, struct apsp_err *err)
{
	struct apsp_target_batch *batch = &c->batch;
	bool on_demand = apsp_table_on_demand(&c->tables->header);
	uint32_t n = on_demand ? 1 : batch->n,
		 n_vertices = c->graph->n_vertices;
	struct apsp_row row;
	uint64_t steps;
	int r = 0;

	while (c->n_read < batch->n) {
		if (apsp_circuit_work_turn_over(work))
			return 1;
		if (!c->reader)
			r = reader_open(c, n, err);
		if (r == 0)
			r = apsp_row_reader_read(
				c->reader, c->place, &row, err);
		if (r < 0)
			return r;
		if (r > 0) { /* the reader has made the column, and has read no
				cell yet */
			steps = (uint64_t)n_vertices * COLUMN_STEPS;
		} else {
			memcpy(batch->values +
					(size_t)c->place * batch->stride +
					c->n_read,
				row.distance, n * sizeof(*row.distance));
			c->place++;
			steps = (uint64_t)n * CELL_STEPS +
				(on_demand ? COLUMN_CELL_STEPS : ROW_STEPS);
		}
		r = apsp_circuit_work_count(work, steps, err);
		if (r < 0)
			return r;
		if (c->place < n_vertices)
			continue;
		c->place = 0;
		c->n_read += n;
		apsp_row_reader_free(c->reader);
		c->reader = NULL;
	}
	c->phase = PHASE_COLUMNS;
	return reader_open(c, 0, err); /* for the rows of the sources */
}

/* Find the distances from all vertices to one target of the batch. Returns 1 if
   more turns are needed. */
static int column_find(struct apsp_circuit *c, struct apsp_circuit_work *work,
	struct apsp_err *err)
{
	struct apsp_target_batch *batch = &c->batch;
	struct apsp_exact_row *row = &c->to_target;
	uint32_t target = batch->targets[c->place];
	int r;

	if (exactly(c)) {
		if (!c->started)
			apsp_walk_row_start(
				&c->walks_to, target, c->question.n_arcs);
		c->started = true;
		r = apsp_walk_row_step(&c->walks_to, work, err);
		if (r == 0)
			apsp_target_batch_walks(batch, c->place, &c->walks_to);
		return r;
	}
	if (!c->started) {
		for (uint32_t v = 0;
			reads_tables(c) && v < c->graph->n_vertices; v++)
			row->value[v] =
				batch->values[(size_t)v * batch->stride +
					      c->place];
		apsp_exact_row_start(row, target);
	}
	c->started = true;
	r = apsp_exact_row_step(row, work, err);
	if (r == 0)
		apsp_target_batch_distances(batch, c->place, row);
	return r;
}

static int columns_find(struct apsp_circuit *c, struct apsp_circuit_work *work,
	struct apsp_err *err)
{
	int r = 0;

	for (; c->place < c->batch.n && r == 0; c->place++) {
		r = column_find(c, work, err);
		if (r != 0)
			return r;
		c->started = false;
		r = apsp_circuit_work_count(work, c->graph->n_vertices, err);
	}
	c->source = 0;
	c->phase = PHASE_SOURCE;
	return r;
}

/* Find the distances from the present source, and the bounds of its pairs.
   Returns 1 if more turns are needed. */
static int source_find(struct apsp_circuit *c, struct apsp_circuit_work *work,
	struct apsp_err *err)
{
	uint32_t source = c->question.sources[c->source], n;
	struct apsp_row read;
	int r = 0;

	if (!c->started) {
		n = apsp_target_batch_source(&c->batch, source, 0);
		c->n_pairs += n;
		c->n_skipped += c->batch.n - n;
		if (n == 0) {
			c->source++;
			return apsp_circuit_work_count(work, c->batch.n, err);
		}
		if (exactly(c)) {
			apsp_walk_row_start(
				&c->walks_from, source, c->question.n_arcs);
		} else {
			if (reads_tables(c))
				r = apsp_row_reader_read(
					c->reader, source, &read, err);
			if (r < 0)
				return r;
			if (reads_tables(c))
				memcpy(c->from_source.value, read.distance,
					c->graph->n_vertices *
						sizeof(*read.distance));
			apsp_exact_row_start(&c->from_source, source);
		}
		c->started = true;
	}
	r = exactly(c) ? apsp_walk_row_step(&c->walks_from, work, err)
		       : apsp_exact_row_step(&c->from_source, work, err);
	if (r != 0)
		return r;
	c->started = false;
	apsp_target_batch_source(&c->batch, source, c->from_source.largest);
	c->place = 0;
	c->phase = PHASE_SCAN;
	return apsp_circuit_work_count(work, c->graph->n_vertices, err);
}

/* Get the walk from the source to v, as part of a walk to a target. Returns
   false if there is no walk. */
static bool part_get(
	const struct apsp_circuit *c, uint32_t v, struct apsp_walk_part *out)
{
	if (exactly(c)) {
		*out = (struct apsp_walk_part){.walks = c->walks_from.walks[v]};
		return out->walks != 0;
	}
	*out = (struct apsp_walk_part){.value = c->from_source.value[v]};
	if (out->value == INFINITY)
		return false;
	if (c->kind == APSP_ROW_KIND_EXACT)
		out->exact = c->from_source.exact[v];
	return true;
}

/* Add an arc to the end of a walk. The arc leads to the vertex that
   apsp_target_batch_look() has chosen. The caller adds the arc's length to
   part->exact. */
static void part_extend(
	const struct apsp_circuit *c, uint64_t arc, struct apsp_walk_part *part)
{
	double length =
		c->kind == APSP_ROW_KIND_STEPS ? 1 : c->graph->in_lengths[arc];

	part->value += length;
	part->walks <<= 1;
}

/* Count the pairs of the present source that use an arc into a vertex of
   `node`. Returns the number of comparisons. */
static uint64_t arc_look(struct apsp_circuit *c, uint32_t node, uint64_t arc)
{
	struct apsp_walk_part part;
	unsigned char *used;
	uint32_t n;

	if ((c->marks.truncated && c->marks.arcs[arc]) ||
		!part_get(c, c->graph->tails[arc], &part))
		return 0;
	part_extend(c, arc, &part);
	if (!apsp_target_batch_may(&c->batch, part.value, part.walks))
		return 0;
	if (c->kind == APSP_ROW_KIND_EXACT)
		part.exact += apsp_path_cost_of_units(
			&c->batch.unit, apsp_path_cost_units(&c->batch.unit,
						c->graph->in_lengths[arc]));
	used = apsp_circuit_marks_used(&c->marks, node, arc);
	n = apsp_target_batch_count(&c->batch, &part, used);
	if (n > 0)
		apsp_circuit_marks_arc(&c->marks, arc, n, used);
	return c->batch.stride;
}

/* Count the pairs of the present source that use a vertex, and the pairs that
   use the arcs into this vertex. */
static int vertex_look(struct apsp_circuit *c, uint32_t v,
	struct apsp_circuit_work *work, struct apsp_err *err)
{
	const struct apsp_adjacency *graph = c->graph;
	uint32_t node = apsp_arc_rolls_node(&c->marks.rolls, v), n;
	uint64_t steps = c->batch.stride;
	struct apsp_walk_part part;

	if (!part_get(c, v, &part))
		return apsp_circuit_work_count(work, 1, err);
	apsp_target_batch_look(&c->batch, v);
	if (!apsp_target_batch_may(&c->batch, part.value, part.walks))
		return apsp_circuit_work_count(work, steps, err);
	n = apsp_target_batch_count(&c->batch, &part, c->marks.node_used);
	if (n > 0)
		apsp_circuit_marks_vertex(&c->marks, v, n);
	steps += c->batch.stride + graph->in_offsets[v + 1] -
		 graph->in_offsets[v];
	for (uint64_t a = graph->in_offsets[v];
		n > 0 && a < graph->in_offsets[v + 1]; a++)
		if (graph->tails[a] != v)
			steps += arc_look(c, node, a);
	return apsp_circuit_work_count(work, steps, err);
}

static int scan(struct apsp_circuit *c, struct apsp_circuit_work *work,
	struct apsp_err *err)
{
	uint32_t n = c->graph->n_vertices;
	int r = 0;

	while (c->place < n && r == 0) {
		uint32_t v = apsp_arc_rolls_vertex(&c->marks.rolls, c->place);
		uint32_t node = apsp_arc_rolls_node(&c->marks.rolls, v);

		if (apsp_circuit_work_turn_over(work))
			return 1;
		r = vertex_look(c, v, work, err);
		c->place++;
		if (c->question.groups &&
			(c->place == n ||
				apsp_arc_rolls_node(&c->marks.rolls,
					apsp_arc_rolls_vertex(&c->marks.rolls,
						c->place)) != node))
			apsp_circuit_marks_group_end(&c->marks, node);
	}
	c->source++;
	c->phase = PHASE_SOURCE;
	return r;
}

/* Begin the next source, or the next batch, or the answer. */
static int source_next(struct apsp_circuit *c, struct apsp_circuit_work *work,
	struct apsp_err *err)
{
	if (c->marks.truncated && c->question.stops_early) {
		c->phase = PHASE_READY;
		return 0;
	}
	if (c->source < c->question.n_sources)
		return source_find(c, work, err);
	c->first_target += c->batch.n;
	c->phase = c->first_target < c->question.n_targets ? PHASE_BATCH
							   : PHASE_READY;
	return 0;
}

/* Make the answer, and free everything else. */
static int finish(struct apsp_circuit *c, struct apsp_err *err)
{
	struct apsp_circuit ended = {
		.n_pairs = c->n_pairs,
		.n_skipped = c->n_skipped,
		.n_arcs = c->marks.n_arcs,
		.truncated = c->marks.truncated,
		.phase = PHASE_DONE,
	};
	int r = c->marks.truncated ? 0
				   : apsp_circuit_answer_make(&c->question,
					     &c->marks, &ended.answer, err);

	if (r < 0)
		return r;
	apsp_circuit_done(c);
	*c = ended;
	return 0;
}

int apsp_circuit_step(struct apsp_circuit *c, struct apsp_circuit_work *work,
	struct apsp_err *err)
{
	int r = 0;

	if (c->phase == PHASE_DONE)
		return 0;
	apsp_circuit_work_turn(work);
	while (r == 0 && c->phase != PHASE_READY) {
		if (apsp_circuit_work_turn_over(work)) {
			r = apsp_tables_trust(c->tables, err);
			return r < 0 ? r : 1;
		}
		switch (c->phase) {
		case PHASE_BATCH:
			r = batch_begin(c, err);
			break;
		case PHASE_READ:
			r = distances_read(c, work, err);
			break;
		case PHASE_COLUMNS:
			r = columns_find(c, work, err);
			break;
		case PHASE_SOURCE:
			r = source_next(c, work, err);
			break;
		default:
			r = scan(c, work, err);
		}
	}
	if (r == 0)
		r = apsp_tables_trust(c->tables, err);
	return r == 0 ? finish(c, err) : r;
}
