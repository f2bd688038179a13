/*
 * Finds circuits; see circuit.h. The targets are divided into batches, so that
 * the distances to the targets of one batch take at most BATCH_BYTES. Two parts
 * (circuit_part.h) share the work. For each batch, they first find the
 * distances from all vertices to the batch's targets. Then they find the arcs
 * on walks from the sources to these targets. At the end, the answer is made
 * from the arcs that both parts have marked.
 */
#include "storage/circuits/circuit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/auto.h"
#include "daemon/base/exact_sum.h"

enum {
	BATCH_BYTES = 32 << 20,
};

/* The vertex has no layer (number of the answer's arcs from a source) yet. */
#define NO_LAYER UINT32_MAX

enum stage {
	STAGE_BEGIN,   /* the next batch begins */
	STAGE_READ,    /* the parts read distances to the batch's targets */
	STAGE_COLUMNS, /* the parts make the distances to the batch's targets
			  exact */
	STAGE_SOURCES, /* the parts find the arcs between the sources and the
			  batch's targets */
	STAGE_DONE,
};

/* Choose the kind of the rows of distances. If lengths are whole numbers,
   and no sum of three distances has more than 53 bits, doubles hold all sums
   of the tables' distances exactly. Otherwise exact distances must be
   computed. */
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
	/* memory is allocated for a multiple of APSP_TARGET_LANES targets.
	   So a batch of one target takes `one` bytes, and a batch of
	   APSP_TARGET_LANES targets takes no more */
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
	/* The kind of the rows is not known yet. Assume the kind that takes
	   most memory for each target. With another kind, a batch has more
	   targets, but not more bytes. */
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
	free(c->answer.vertices);
	free(c->answer.arcs);
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

static int no_memory(struct apsp_err *err)
{
	return apsp_fail(err, APSP_ENOMEM, "no memory for a circuit");
}

/* List the vertices or groups that at least one pair (a source and a target)
   uses. places[node] becomes the index of the vertex or group `node` in the
   list. */
static int vertices_list(
	struct apsp_circuit *c, uint32_t *places, struct apsp_err *err)
{
	const struct apsp_circuit_marks *marks = &c->parts[0].marks;
	struct apsp_circuit_vertex *vertices;
	uint32_t n = 0;

	for (uint32_t node = 0; node < c->rolls.n_nodes; node++)
		if (marks->node_pairs[node] > 0)
			places[node] = n++;
	vertices = calloc((size_t)n + 1, sizeof(*vertices));
	if (!vertices)
		return no_memory(err);
	c->answer.vertices = vertices;
	c->answer.n_vertices = n;
	for (uint32_t node = 0; node < c->rolls.n_nodes; node++)
		if (marks->node_pairs[node] > 0)
			vertices[places[node]] = (struct apsp_circuit_vertex){
				.vertex = node,
				.layer = NO_LAYER,
				.pairs = marks->node_pairs[node],
			};
	for (uint32_t v = 0; v < c->base.graph->n_vertices; v++)
		if (marks->vertices[v])
			vertices[places[apsp_arc_rolls_node(&c->rolls, v)]]
				.n_vertices++;
	return 0;
}

/* List the marked arcs or, if the vertices are in groups, the rolls that have a
   marked arc. A roll stands for all arcs from one group to another, or from a
   group to itself. roll_places
   is an array of zeros; roll_places[roll] becomes 1 + the index of the roll in
   the list. */
static void arcs_list(
	struct apsp_circuit *c, const uint32_t *places, uint32_t *roll_places)
{
	const struct apsp_circuit_marks *marks = &c->parts[0].marks;
	const struct apsp_adjacency *graph = c->base.graph;
	const struct apsp_arc_rolls *rolls = &c->rolls;
	uint32_t n = 0;

	for (uint32_t v = 0; v < graph->n_vertices; v++)
		for (uint64_t a = graph->in_offsets[v];
			a < graph->in_offsets[v + 1]; a++) {
			uint64_t roll = apsp_arc_rolls_of(rolls, a);
			uint32_t tail = graph->tails[a];
			struct apsp_circuit_arc *arc;

			if (!marks->arcs[a])
				continue;
			if (!roll_places[roll]) {
				c->answer.arcs[n] = (struct apsp_circuit_arc){
					.from = places[apsp_arc_rolls_node(
						rolls, tail)],
					.to = places[apsp_arc_rolls_node(
						rolls, v)],
					.pairs = marks->roll_pairs[roll],
					.length = INFINITY,
				};
				roll_places[roll] = ++n;
			}
			arc = &c->answer.arcs[roll_places[roll] - 1];
			if (graph->in_lengths[a] < arc->length)
				arc->length = graph->in_lengths[a];
			arc->n_arcs++;
		}
}

/* For each arc of the answer, sum the weights of the graph's arcs that it
   stands for. The sums are exact. `weights` and `ends` are working memory: the
   weights are ordered by the answer's arcs, and the weights of arc i end at
   ends[i]. */
static int weights_sum(struct apsp_circuit *c, const uint32_t *roll_places,
	double *weights, uint64_t *ends, struct apsp_err *err)
{
	const struct apsp_adjacency *graph = c->base.graph;

	for (uint64_t i = 1; i < c->answer.n_arcs; i++)
		ends[i] = ends[i - 1] + c->answer.arcs[i - 1].n_arcs;
	for (uint64_t a = 0; a < graph->n_arcs; a++)
		if (c->parts[0].marks.arcs[a]) {
			uint64_t roll = apsp_arc_rolls_of(&c->rolls, a);

			weights[ends[roll_places[roll] - 1]++] =
				graph->weights[graph->in_arcs[a]];
		}
	for (uint64_t i = 0; i < c->answer.n_arcs; i++) {
		struct apsp_circuit_arc *arc = &c->answer.arcs[i];

		arc->weight = apsp_exact_sum_of(
			weights + ends[i] - arc->n_arcs, arc->n_arcs);
		if (!isfinite(arc->weight))
			return apsp_fail(err, APSP_EDATA,
				"the sum of the weights from one group to "
				"another is above 1.8e308; ask without groups, "
				"or upload smaller weights");
	}
	return 0;
}

static int arcs_compare(const void *a, const void *b)
{
	const struct apsp_circuit_arc *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

static int vertices_compare(const void *a, const void *b)
{
	const struct apsp_circuit_vertex *x = a, *y = b;

	if (x->layer != y->layer)
		return x->layer < y->layer ? -1 : 1;
	return x->vertex < y->vertex ? -1 : x->vertex > y->vertex;
}

/* Store in firsts[v] the index of the first arc out of vertex v. The last
   element of `firsts` becomes the number of arcs. */
static void firsts_find(const struct apsp_circuit *c, uint32_t *firsts)
{
	uint32_t arc = 0;

	for (uint32_t i = 0; i <= c->answer.n_vertices; i++) {
		while (arc < c->answer.n_arcs && c->answer.arcs[arc].from < i)
			arc++;
		firsts[i] = arc;
	}
}

/* Set the layer of each vertex of the answer: the least number of the answer's
   arcs on a walk in the circuit from a source to the vertex. This is a
   breadth-first search from all sources of the circuit. The arcs must be
   ordered by `from`. */
static void layers_set(struct apsp_circuit *c, const uint32_t *places,
	const uint32_t *firsts, uint32_t *queue)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->question.n_sources; i++) {
		uint32_t source = c->question.sources[i];
		uint32_t node = apsp_arc_rolls_node(&c->rolls, source);

		if (!c->parts[0].marks.vertices[source] ||
			c->answer.vertices[places[node]].layer == 0)
			continue;
		c->answer.vertices[places[node]].layer = 0;
		queue[n++] = places[node];
	}
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t a = firsts[queue[i]]; a < firsts[queue[i] + 1];
			a++) {
			struct apsp_circuit_vertex *head =
				&c->answer.vertices[c->answer.arcs[a].to];

			if (head->layer != NO_LAYER)
				continue;
			head->layer = c->answer.vertices[queue[i]].layer + 1;
			queue[n++] = c->answer.arcs[a].to;
		}
}

/* Order the vertices by layer. Then order the arcs by the new indices of their
   vertices. places[node] becomes the new index of the node; `moved` is working
   memory. */
static void order_set(struct apsp_circuit *c, uint32_t *places, uint32_t *moved)
{
	for (uint32_t i = 0; i < c->answer.n_vertices; i++)
		moved[i] = c->answer.vertices[i].vertex;
	qsort(c->answer.vertices, c->answer.n_vertices,
		sizeof(*c->answer.vertices), vertices_compare);
	for (uint32_t i = 0; i < c->answer.n_vertices; i++)
		places[c->answer.vertices[i].vertex] = i;
	for (uint64_t a = 0; a < c->answer.n_arcs; a++) {
		c->answer.arcs[a].from = places[moved[c->answer.arcs[a].from]];
		c->answer.arcs[a].to = places[moved[c->answer.arcs[a].to]];
	}
	qsort(c->answer.arcs, c->answer.n_arcs, sizeof(*c->answer.arcs),
		arcs_compare);
}

/* Make the answer from the arcs and vertices that the first part has marked.
   finish() has added the marks of the other part to these. */
static int answer_make(struct apsp_circuit *c, struct apsp_err *err)
{
	APSP_AUTO(apsp_free) uint32_t *places = NULL;
	APSP_AUTO(apsp_free) uint32_t *roll_places = NULL;
	APSP_AUTO(apsp_free) uint32_t *firsts = NULL;
	APSP_AUTO(apsp_free) uint32_t *queue = NULL;
	APSP_AUTO(apsp_free) double *weights = NULL;
	APSP_AUTO(apsp_free) uint64_t *ends = NULL;
	int r;

	places = calloc((size_t)c->rolls.n_nodes + 1, sizeof(*places));
	roll_places = calloc(c->rolls.n_rolls + 1, sizeof(*roll_places));
	c->answer.arcs = calloc(c->answer.n_arcs + 1, sizeof(*c->answer.arcs));
	weights = calloc(c->base.graph->n_arcs + 1, sizeof(*weights));
	ends = calloc(c->answer.n_arcs + 1, sizeof(*ends));
	if (!places || !roll_places || !c->answer.arcs || !weights || !ends)
		return no_memory(err);
	r = vertices_list(c, places, err);
	if (r < 0)
		return r;
	firsts = calloc((size_t)c->answer.n_vertices + 1, sizeof(*firsts));
	queue = calloc((size_t)c->answer.n_vertices + 1, sizeof(*queue));
	if (!firsts || !queue)
		return no_memory(err);
	arcs_list(c, places, roll_places);
	r = weights_sum(c, roll_places, weights, ends, err);
	if (r < 0)
		return r;
	qsort(c->answer.arcs, c->answer.n_arcs, sizeof(*c->answer.arcs),
		arcs_compare);
	firsts_find(c, firsts);
	layers_set(c, places, firsts, queue);
	order_set(c, places, queue);
	return 0;
}

/* Add up the results of the parts, make the answer, and free all the rest. */
static int finish(struct apsp_circuit *c, struct apsp_err *err)
{
	struct apsp_circuit ended = {.stage = STAGE_DONE};
	struct apsp_circuit_marks *marks = &c->parts[0].marks;
	int r;

	for (uint32_t i = 0; i < APSP_CIRCUIT_PARTS; i++) {
		ended.n_pairs += c->parts[i].n_pairs;
		ended.n_skipped += c->parts[i].n_skipped;
		if (i > 0)
			apsp_circuit_marks_join(marks, &c->parts[i].marks);
	}
	ended.n_arcs = marks->n_arcs;
	ended.truncated = marks->truncated;
	if (!ended.truncated) {
		c->answer.n_arcs = ended.n_arcs;
		r = answer_make(c, err);
		if (r < 0)
			return r;
		ended.answer = APSP_TAKE(c->answer);
	}
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

/* Begin the next stage of the work, after no part has work left. Returns 0 if
   no stage is left. */
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
