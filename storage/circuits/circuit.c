/*
 * Finds circuits; see circuit.h. The targets are divided into batches whose
 * distances fit BATCH_BYTES. The parts (circuit_part.h) first find the
 * distances from all vertices to a batch's targets. Then they find the arcs
 * between the sources and these targets.
 */
#include "storage/circuits/circuit.h"

#include <math.h>
#include <string.h>

enum {
	BATCH_BYTES = 32 << 20,
};

enum stage {
	STAGE_BEGIN,   /* the next batch begins */
	STAGE_READ,    /* the parts read distances to the batch's targets */
	STAGE_COLUMNS, /* the parts make the distances to the batch's targets
			  exact */
	STAGE_SOURCES, /* the parts find the arcs between the sources and the
			  batch's targets */
	STAGE_DONE,
};

/* Choose the kind of the rows of distances. If lengths are whole and no sum of
   three distances has more than 53 bits, doubles hold all sums of the tables'
   distances exactly. Otherwise exact distances must be computed. */
static enum apsp_row_kind kind_of(const struct apsp_circuit_question *q,
	const struct apsp_tables *tables, const struct apsp_adjacency *graph)
{
	struct apsp_path_cost_unit unit;
	double most;

	if (q->bound == APSP_CIRCUIT_HOPS_EXACTLY)
		return APSP_ROW_KIND_WALKS;
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
	/* `one` is the number of bytes of a batch of APSP_TARGET_LANES targets;
	   batches are padded to a multiple of this number of targets */
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
	       APSP_CIRCUIT_PARTS * apsp_circuit_part_bytes(q, tables, size) +
	       apsp_arc_rolls_bytes(n, m, q->groups ? q->n_groups : 0) +
	       (n + m) * sizeof(uint32_t) + m * sizeof(double) +
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
	for (uint32_t i = 0; i < APSP_CIRCUIT_PARTS; i++)
		apsp_circuit_part_done(&c->parts[i]);
	apsp_circuit_answer_done(&c->answer);
	apsp_target_batch_done(&c->batch);
	apsp_arc_rolls_done(&c->rolls);
	memset(c, 0, sizeof(*c));
}

int apsp_circuit_begin(const struct apsp_circuit_question *question,
	struct apsp_tables *tables, const struct apsp_adjacency *graph,
	uint64_t max_steps, struct apsp_circuit *out, struct apsp_err *err)
{
	struct apsp_circuit_base base = {
		.question = &out->question,
		.tables = tables,
		.graph = graph,
	};
	int r = 0;

	if (apsp_circuit_reads_tables(question))
		r = apsp_adjacency_needs_unit(graph, err);
	if (r < 0)
		return r;
	base.kind = kind_of(question, tables, graph);
	*out = (struct apsp_circuit){
		.question = *question,
		.base = base,
		.max_steps = max_steps,
		.batch_size =
			batch_size_of(question, base.kind, graph->n_vertices),
	};
	r = apsp_arc_rolls_init(
		graph, question->groups, question->n_groups, &out->rolls, err);
	for (uint32_t i = 0; i < APSP_CIRCUIT_PARTS && r == 0; i++)
		r = apsp_circuit_part_init(&base, i, &out->rolls,
			out->batch_size, &out->parts[i], err);
	if (r < 0)
		apsp_circuit_done(out);
	return r;
}

/* Begin the next batch of targets. Returns 0 if no batch is left. */
static int batch_begin(struct apsp_circuit *c, struct apsp_err *err)
{
	const struct apsp_circuit_question *q = &c->question;
	uint32_t left = q->n_targets - c->next_target;
	uint32_t n = left < c->batch_size ? left : c->batch_size;
	int r;

	if (n == 0 || q->n_sources == 0)
		return 0;
	apsp_target_batch_done(&c->batch);
	r = apsp_target_batch_init(q, c->base.graph, c->base.kind,
		q->targets + c->next_target, n, &c->batch, err);
	for (uint32_t i = 0; i < APSP_CIRCUIT_PARTS && r == 0; i++)
		r = apsp_circuit_part_read(&c->parts[i], &c->batch, err);
	c->next_target += n;
	c->stage = STAGE_READ;
	return r < 0 ? r : 1;
}

/* Join the parts, make the answer, and free everything else. */
static int finish(struct apsp_circuit *c, struct apsp_err *err)
{
	struct apsp_circuit ended = {.stage = STAGE_DONE};
	struct apsp_circuit_marks *marks = &c->parts[0].marks;
	int r = 0;

	for (uint32_t i = 0; i < APSP_CIRCUIT_PARTS; i++) {
		ended.n_pairs += c->parts[i].n_pairs;
		ended.n_skipped += c->parts[i].n_skipped;
		if (i > 0)
			apsp_circuit_marks_join(marks, &c->parts[i].marks);
	}
	ended.n_arcs = marks->n_arcs;
	ended.truncated = marks->truncated;
	if (!ended.truncated)
		r = apsp_circuit_answer_make(
			&c->question, marks, &ended.answer, err);
	if (r < 0)
		return r;
	apsp_circuit_done(c);
	*c = ended;
	return 0;
}

/* Check that all parts together have taken at most max_steps steps. */
static int steps_check(const struct apsp_circuit *c, struct apsp_err *err)
{
	uint64_t n_steps = 0;

	for (uint32_t i = 0; i < APSP_CIRCUIT_PARTS; i++)
		n_steps += c->parts[i].work.n_steps;
	if (n_steps <= c->max_steps)
		return 0;
	return apsp_fail(err, APSP_ESEARCH,
		"the circuit has taken %llu steps, which is its limit "
		"(circuit_steps in /v1/info); ask for fewer sources or "
		"targets, or for a narrower bound",
		(unsigned long long)c->max_steps);
}

/* Whether the search can stop early: the circuit has too many arcs, and the
   question does not need their exact number. */
static bool stops(const struct apsp_circuit *c)
{
	bool truncated = false;

	for (uint32_t i = 0; i < APSP_CIRCUIT_PARTS; i++)
		truncated |= c->parts[i].marks.truncated;
	return truncated && c->question.stops_early;
}

/* Begin the next stage, because no part has work. Returns 0 if all stages are
   over. */
static int stage_next(struct apsp_circuit *c, struct apsp_err *err)
{
	switch (c->stage) {
	case STAGE_READ:
		for (uint32_t i = 0; i < APSP_CIRCUIT_PARTS; i++)
			apsp_circuit_part_columns(&c->parts[i]);
		c->stage = STAGE_COLUMNS;
		return 1;
	case STAGE_COLUMNS:
		for (uint32_t i = 0; i < APSP_CIRCUIT_PARTS; i++) {
			c->batch.largest =
				fmax(c->batch.largest, c->parts[i].largest);
			apsp_circuit_part_sources(&c->parts[i]);
		}
		c->stage = STAGE_SOURCES;
		return 1;
	default:
		return stops(c) ? 0 : batch_begin(c, err);
	}
}

int apsp_circuit_step(struct apsp_circuit *c, struct apsp_err *err)
{
	bool working = false;
	int r;

	if (c->stage == STAGE_DONE)
		return 0;
	r = steps_check(c, err);
	if (r == 0)
		r = apsp_tables_trust(c->base.tables, err);
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < APSP_CIRCUIT_PARTS; i++)
		working |= c->parts[i].works;
	r = working && !stops(c) ? 1 : stage_next(c, err);
	return r == 0 ? finish(c, err) : r;
}
