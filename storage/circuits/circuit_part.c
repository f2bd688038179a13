/*
 * Parts of a circuit; see circuit_part.h. A vertex v is in the circuit of a
 * source s if, for some target t,
 *
 *	distance(s, v) + distance(v, t) - bound(s, t) ≤ 0
 *
 * The least value of distance(v, t) - bound(s, t) over all targets decides this
 * for all targets at once, except for rounding errors. Only the arcs into the
 * vertices of the circuit are visited.
 */
#include "storage/circuits/circuit_part.h"

#include <math.h>
#include <string.h>

enum {
	/* Numbers of steps that a part counts when it reads distances. To make
	   a column, it counts COLUMN_STEPS for each vertex. To read a row, it
	   counts ROW_STEPS, and CELL_STEPS for each cell. To read a cell of a
	   column, it counts CELL_STEPS and COLUMN_CELL_STEPS. */
	COLUMN_STEPS = 8,
	CELL_STEPS = 8,
	ROW_STEPS = 64,
	COLUMN_CELL_STEPS = 8,
};

enum phase {
	PHASE_IDLE,
	PHASE_READ,
	PHASE_COLUMNS,
	PHASE_SOURCE,
	PHASE_SCAN,
};

uint64_t apsp_circuit_part_bytes(const struct apsp_circuit_question *question,
	const struct apsp_tables *tables, uint64_t n_targets)
{
	uint64_t n = tables->header.n_vertices;

	return 2 * apsp_exact_row_bytes(n) +
	       apsp_row_reader_bytes(tables, 0, false) +
	       (apsp_table_on_demand(&tables->header)
			       ? apsp_row_reader_columns_bytes(tables, 1)
			       : 0) +
	       apsp_target_bounds_bytes(n_targets) +
	       apsp_circuit_marks_bytes(
		       question, n, tables->header.n_arcs, n_targets);
}

int apsp_circuit_part_init(const struct apsp_circuit_base *base,
	uint32_t number, const struct apsp_arc_rolls *rolls,
	uint32_t batch_size, struct apsp_circuit_part *out,
	struct apsp_err *err)
{
	uint32_t max_arcs = base->question->n_arcs;
	int r;

	*out = (struct apsp_circuit_part){.base = *base, .number = number};
	r = apsp_circuit_marks_init(base->question, base->graph, rolls,
		batch_size, &out->marks, err);
	if (r == 0)
		r = apsp_exact_row_init(base->graph, base->kind, false,
			max_arcs, &out->from_source, err);
	if (r == 0)
		r = apsp_exact_row_init(base->graph, base->kind, true, max_arcs,
			&out->to_target, err);
	if (r < 0)
		apsp_circuit_part_done(out);
	return r;
}

void apsp_circuit_part_done(struct apsp_circuit_part *part)
{
	apsp_circuit_marks_done(&part->marks);
	apsp_target_bounds_done(&part->bounds);
	apsp_exact_row_done(&part->from_source);
	apsp_exact_row_done(&part->to_target);
	apsp_row_reader_free(part->reader);
	memset(part, 0, sizeof(*part));
}

static void reader_close(struct apsp_circuit_part *part)
{
	apsp_row_reader_free(part->reader);
	part->reader = NULL;
}

/* Divide n things among the parts, in order. Return the index at which the
   share of the part `number` begins. The share ends where the share of the
   next part begins. */
static uint32_t share_first(uint32_t number, uint32_t n)
{
	return (uint32_t)((uint64_t)n * number / APSP_CIRCUIT_PARTS);
}

int apsp_circuit_part_read(struct apsp_circuit_part *part,
	struct apsp_target_batch *batch, struct apsp_err *err)
{
	part->batch = batch;
	part->first = share_first(part->number, batch->n);
	part->end = share_first(part->number + 1, batch->n);
	part->largest = 0;
	part->target = apsp_table_on_demand(&part->base.tables->header)
			       ? part->first
			       : 0;
	part->started = false;
	part->works = apsp_circuit_reads_tables(part->base.question);
	part->phase = part->works ? PHASE_READ : PHASE_IDLE;
	reader_close(part);
	apsp_target_bounds_done(&part->bounds);
	return apsp_target_bounds_init(batch, &part->bounds, err);
}

void apsp_circuit_part_columns(struct apsp_circuit_part *part)
{
	part->place = part->first;
	part->started = false;
	part->phase = PHASE_COLUMNS;
	part->works = true;
}

void apsp_circuit_part_sources(struct apsp_circuit_part *part)
{
	part->source = part->number;
	part->phase = PHASE_SOURCE;
	part->works = true;
}

/* Make a reader of distances. If n is above 0, the reader reads distances to n
   targets of the batch, beginning with part->target. If n is 0, the reader
   reads distances to all vertices. */
static int reader_open(
	struct apsp_circuit_part *part, uint32_t n, struct apsp_err *err)
{
	unsigned int values = APSP_ROW_DISTANCE | APSP_ROW_ROUNDED;
	const uint32_t *targets = part->batch->targets + part->target;

	if (part->reader)
		return 0;
	if (n > 0 && apsp_table_on_demand(&part->base.tables->header))
		values |= APSP_ROW_BY_COLUMN;
	return apsp_row_reader_new(part->base.tables, values,
		n > 0 ? targets : NULL, n, &part->reader, err);
}

/*
 * Read the tables' distances from all vertices to the targets. If rows are
 * computed on demand, the part reads the columns of its targets, one after the
 * other. Otherwise the part reads its share of the rows. From each row, it
 * reads the distances to all targets. Returns 1 if more turns are needed.
 */
static int distances_read(struct apsp_circuit_part *part, struct apsp_err *err)
{
	struct apsp_target_batch *batch = part->batch;
	bool on_demand = apsp_table_on_demand(&part->base.tables->header);
	uint32_t n_vertices = part->base.graph->n_vertices;
	uint32_t first = on_demand ? 0 : share_first(part->number, n_vertices);
	uint32_t end = on_demand ? n_vertices
				 : share_first(part->number + 1, n_vertices);
	uint32_t last_target = on_demand ? part->end : batch->n;
	uint32_t n = on_demand ? 1 : batch->n;
	struct apsp_row row;
	int r = 0;

	for (; part->target < last_target; part->target += n) {
		if (!part->started)
			part->place = first;
		part->started = true;
		while (part->place < end) {
			if (apsp_circuit_work_turn_over(&part->work))
				return 1;
			r = reader_open(part, n, err);
			if (r == 0)
				r = apsp_row_reader_read(
					part->reader, part->place, &row, err);
			if (r < 0)
				return r;
			/* this call has only made the column of the target;
			   the next calls read its cells */
			if (r > 0) {
				part->work.n_steps +=
					(uint64_t)n_vertices * COLUMN_STEPS;
				continue;
			}
			memcpy(batch->values +
					(size_t)part->place * batch->stride +
					part->target,
				row.distance, n * sizeof(*row.distance));
			part->place++;
			part->work.n_steps +=
				(uint64_t)n * CELL_STEPS +
				(on_demand ? COLUMN_CELL_STEPS : ROW_STEPS);
		}
		part->started = false;
		reader_close(part);
	}
	part->phase = PHASE_IDLE;
	return 0;
}

/* Find the distances from all vertices to one target of the batch. Returns
   whether more turns are needed. */
static bool column_find(struct apsp_circuit_part *part)
{
	struct apsp_target_batch *batch = part->batch;
	struct apsp_exact_row *row = &part->to_target;
	uint32_t n = 0;

	if (!part->started) {
		if (apsp_circuit_reads_tables(part->base.question))
			n = part->base.graph->n_vertices;
		for (uint32_t v = 0; v < n; v++)
			row->value[v] =
				batch->values[(size_t)v * batch->stride +
					      part->place];
		apsp_exact_row_start(row, batch->targets[part->place]);
	}
	part->started = true;
	if (apsp_exact_row_step(row, &part->work))
		return true;
	apsp_target_batch_store(batch, part->place, row);
	part->largest = fmax(part->largest, row->largest);
	return false;
}

static bool columns_find(struct apsp_circuit_part *part)
{
	for (; part->place < part->end; part->place++) {
		if (column_find(part))
			return true;
		part->started = false;
		part->work.n_steps += part->base.graph->n_vertices;
	}
	part->phase = PHASE_IDLE;
	return false;
}

/* Read the distances from the present source, and begin to find exact
   distances. */
static int source_start(struct apsp_circuit_part *part, struct apsp_err *err)
{
	const struct apsp_circuit_question *q = part->base.question;
	uint32_t source = q->sources[part->source];
	struct apsp_row read;
	int r;

	part->started = true;
	if (apsp_circuit_reads_tables(q)) {
		r = reader_open(part, 0, err);
		if (r == 0)
			r = apsp_row_reader_read(
				part->reader, source, &read, err);
		if (r < 0)
			return r;
		memcpy(part->from_source.value, read.distance,
			part->base.graph->n_vertices * sizeof(*read.distance));
	}
	apsp_exact_row_start(&part->from_source, source);
	return 0;
}

/* If a source is left, find the distances from this source, and the bounds of
   its pairs. Returns 1 if more turns are needed. */
static int source_find(struct apsp_circuit_part *part, struct apsp_err *err)
{
	const struct apsp_circuit_question *q = part->base.question;
	uint32_t source, n;
	int r;

	if (part->source >= q->n_sources ||
		(part->marks.truncated && q->stops_early)) {
		part->phase = PHASE_IDLE;
		return 0;
	}
	source = q->sources[part->source];
	if (!part->started) {
		n = apsp_target_bounds_source(&part->bounds, source, 0);
		part->n_pairs += n;
		part->n_skipped += part->batch->n - n;
		if (n == 0) {
			part->source += APSP_CIRCUIT_PARTS;
			part->work.n_steps += part->batch->n;
			return 0;
		}
		r = source_start(part, err);
		if (r < 0)
			return r;
	}
	if (apsp_exact_row_step(&part->from_source, &part->work))
		return 1;
	part->started = false;
	apsp_target_bounds_source(
		&part->bounds, source, part->from_source.largest);
	part->place = 0;
	part->phase = PHASE_SCAN;
	part->work.n_steps += part->base.graph->n_vertices;
	return 0;
}

/* Store in *out the walk from the present source to v. The walks to targets
   that lead through v begin with this walk. Returns false if no walk leads from
   the source to v. */
static bool walk_get(const struct apsp_circuit_part *part, uint32_t v,
	struct apsp_walk_part *out)
{
	const struct apsp_exact_row *row = &part->from_source;

	if (row->kind == APSP_ROW_KIND_WALKS) {
		*out = (struct apsp_walk_part){.walks = row->walks[v]};
		return out->walks != 0;
	}
	*out = (struct apsp_walk_part){.value = row->value[v]};
	if (out->value == INFINITY)
		return false;
	if (row->kind == APSP_ROW_KIND_EXACT)
		out->exact = row->exact[v];
	return true;
}

/* Add an arc to the end of a walk. The arc leads to the vertex that
   apsp_target_bounds_look() has chosen. The caller adds the arc's length to
   walk->exact. */
static void walk_extend(const struct apsp_circuit_part *part, uint64_t arc,
	struct apsp_walk_part *walk)
{
	double length = part->base.kind == APSP_ROW_KIND_STEPS
				? 1
				: part->base.graph->in_lengths[arc];

	walk->value += length;
	walk->walks <<= 1;
}

/* Count the pairs of the present source that use an arc, and record the number
   in part->marks. The arc leads to a vertex of `node` (a vertex or a group).
   Returns the number of comparisons that the call has made. */
static uint64_t arc_look(
	struct apsp_circuit_part *part, uint32_t node, uint64_t arc)
{
	const struct apsp_adjacency *graph = part->base.graph;
	const struct apsp_path_cost_unit *unit = &part->batch->unit;
	struct apsp_walk_part walk;
	unsigned char *used;
	uint32_t n;

	if ((part->marks.truncated && part->marks.arcs[arc]) ||
		!walk_get(part, graph->tails[arc], &walk))
		return 0;
	walk_extend(part, arc, &walk);
	if (!apsp_target_bounds_may(&part->bounds, walk.value, walk.walks))
		return 0;
	if (part->base.kind == APSP_ROW_KIND_EXACT)
		walk.exact += apsp_path_cost_of_units(unit,
			apsp_path_cost_units(unit, graph->in_lengths[arc]));
	used = apsp_circuit_marks_used(&part->marks, node, arc);
	n = apsp_target_bounds_count(&part->bounds, &walk, used);
	if (n > 0)
		apsp_circuit_marks_arc(&part->marks, arc, n, used);
	return part->batch->stride;
}

/* Count the pairs of the present source that use a vertex, and the pairs that
   use the arcs into this vertex. Record the numbers in part->marks. Returns the
   number of steps that the call has taken (circuit_work.h). */
static uint64_t vertex_look(struct apsp_circuit_part *part, uint32_t v)
{
	const struct apsp_adjacency *graph = part->base.graph;
	uint32_t node = apsp_arc_rolls_node(part->marks.rolls, v), n;
	uint64_t steps = part->batch->stride;
	struct apsp_walk_part walk;

	if (!walk_get(part, v, &walk))
		return 1;
	apsp_target_bounds_look(&part->bounds, v);
	if (!apsp_target_bounds_may(&part->bounds, walk.value, walk.walks))
		return steps;
	n = apsp_target_bounds_count(
		&part->bounds, &walk, part->marks.node_used);
	if (n > 0)
		apsp_circuit_marks_vertex(&part->marks, v, n);
	steps += part->batch->stride + graph->in_offsets[v + 1] -
		 graph->in_offsets[v];
	for (uint64_t a = graph->in_offsets[v];
		n > 0 && a < graph->in_offsets[v + 1]; a++)
		steps += arc_look(part, node, a);
	return steps;
}

/* Visit all vertices. Record in part->marks how many pairs of the present
   source use each vertex and the arcs into it. Returns whether more turns are
   needed. */
static bool scan(struct apsp_circuit_part *part)
{
	const struct apsp_arc_rolls *rolls = part->marks.rolls;
	uint32_t n = part->base.graph->n_vertices;

	while (part->place < n) {
		uint32_t v = apsp_arc_rolls_vertex(rolls, part->place);
		uint32_t node = apsp_arc_rolls_node(rolls, v);

		if (apsp_circuit_work_turn_over(&part->work))
			return true;
		part->work.n_steps += vertex_look(part, v);
		part->place++;
		if (part->base.question->groups &&
			(part->place == n ||
				apsp_arc_rolls_node(
					rolls, apsp_arc_rolls_vertex(rolls,
						       part->place)) != node))
			apsp_circuit_marks_group_end(&part->marks, node);
	}
	part->source += APSP_CIRCUIT_PARTS;
	part->phase = PHASE_SOURCE;
	return false;
}

int apsp_circuit_part_step(struct apsp_circuit_part *part, struct apsp_err *err)
{
	int r = 0;

	apsp_circuit_work_turn(&part->work);
	while (r == 0 && part->phase != PHASE_IDLE &&
		!apsp_circuit_work_turn_over(&part->work)) {
		switch (part->phase) {
		case PHASE_READ:
			r = distances_read(part, err);
			break;
		case PHASE_COLUMNS:
			r = columns_find(part);
			break;
		case PHASE_SOURCE:
			r = source_find(part, err);
			break;
		default:
			r = scan(part);
		}
	}
	part->works = part->phase != PHASE_IDLE;
	return r < 0 ? r : part->works;
}
