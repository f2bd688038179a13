/*
 * Makes the answer of a circuit whose arcs are marked and counted: its vertices
 * with their layers, and its arcs; see circuit_answer.h.
 */
#include "storage/circuits/circuit_answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/auto.h"
#include "daemon/base/exact_sum.h"

#define NO_LAYER UINT32_MAX

struct work {
	const struct apsp_circuit_question *question;
	const struct apsp_circuit_marks *marks;
	struct apsp_circuit_answer out;
};

void apsp_circuit_answer_done(struct apsp_circuit_answer *answer)
{
	free(answer->vertices);
	free(answer->arcs);
	memset(answer, 0, sizeof(*answer));
}

static int no_memory(struct apsp_err *err)
{
	return apsp_fail(err, APSP_ENOMEM, "no memory for a circuit");
}

/* List the vertices or groups that pairs use. places[node] becomes the index of
   the node in the list. */
static int vertices_list(struct work *c, uint32_t *places, struct apsp_err *err)
{
	uint32_t n = 0;

	for (uint32_t node = 0; node < c->marks->rolls->n_nodes; node++)
		n += c->marks->node_pairs[node] > 0;
	c->out.vertices = calloc((size_t)n + 1, sizeof(*c->out.vertices));
	if (!c->out.vertices)
		return no_memory(err);
	for (uint32_t node = 0; node < c->marks->rolls->n_nodes; node++) {
		if (c->marks->node_pairs[node] == 0)
			continue;
		places[node] = c->out.n_vertices;
		c->out.vertices[c->out.n_vertices++] =
			(struct apsp_circuit_vertex){
				.vertex = node,
				.layer = NO_LAYER,
				.pairs = c->marks->node_pairs[node],
			};
	}
	for (uint32_t v = 0; v < c->marks->graph->n_vertices; v++)
		if (c->marks->vertices[v])
			c->out.vertices[places[apsp_arc_rolls_node(
						c->marks->rolls, v)]]
				.n_vertices++;
	return 0;
}

/* Count an arc of the graph in the arc of the answer that contains it, and
   note its length. */
static void arc_add(
	const struct work *c, uint64_t arc, struct apsp_circuit_arc *out)
{
	double length = c->marks->graph->in_lengths[arc];

	if (out->n_arcs == 0 || length < out->length)
		out->length = length;
	out->n_arcs++;
}

/* List the marked arcs or their rolls. roll_places is an array of zeros;
   roll_places[roll] becomes 1 + the index of the roll in the list. */
static void arcs_list(
	struct work *c, const uint32_t *places, uint32_t *roll_places)
{
	const struct apsp_adjacency *graph = c->marks->graph;
	uint32_t n = 0;

	for (uint32_t v = 0; v < graph->n_vertices; v++)
		for (uint64_t a = graph->in_offsets[v];
			a < graph->in_offsets[v + 1]; a++) {
			uint64_t roll = apsp_arc_rolls_of(c->marks->rolls, a);
			uint32_t tail = graph->tails[a];

			if (!c->marks->arcs[a])
				continue;
			if (!roll_places[roll]) {
				roll_places[roll] = ++n;
				c->out.arcs[n - 1] = (struct apsp_circuit_arc){
					.from = places[apsp_arc_rolls_node(
						c->marks->rolls, tail)],
					.to = places[apsp_arc_rolls_node(
						c->marks->rolls, v)],
					.pairs = c->marks->roll_pairs[roll],
				};
			}
			arc_add(c, a, &c->out.arcs[roll_places[roll] - 1]);
		}
}

/* Sum the weights of each arc of the answer exactly. `weights` and `ends` are
   working memory: the weights are ordered by the answer's arcs, and those of
   arc number i end at ends[i]. */
static int weights_sum(struct work *c, const uint32_t *roll_places,
	double *weights, uint64_t *ends, struct apsp_err *err)
{
	const struct apsp_adjacency *graph = c->marks->graph;

	for (uint64_t i = 1; i < c->out.n_arcs; i++)
		ends[i] = ends[i - 1] + c->out.arcs[i - 1].n_arcs;
	for (uint64_t a = 0; a < graph->n_arcs; a++)
		if (c->marks->arcs[a]) {
			uint64_t roll = apsp_arc_rolls_of(c->marks->rolls, a);

			weights[ends[roll_places[roll] - 1]++] =
				graph->weights[graph->in_arcs[a]];
		}
	for (uint64_t i = 0; i < c->out.n_arcs; i++) {
		struct apsp_circuit_arc *arc = &c->out.arcs[i];

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
static void firsts_find(const struct work *c, uint32_t *firsts)
{
	uint32_t arc = 0;

	for (uint32_t i = 0; i <= c->out.n_vertices; i++) {
		while (arc < c->out.n_arcs && c->out.arcs[arc].from < i)
			arc++;
		firsts[i] = arc;
	}
}

/* Set the layers by a breadth-first search from all sources of the circuit. The
   arcs must be ordered by `from`. */
static void layers_set(struct work *c, const uint32_t *places,
	const uint32_t *firsts, uint32_t *queue)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->question->n_sources; i++) {
		uint32_t source = c->question->sources[i];
		uint32_t node = apsp_arc_rolls_node(c->marks->rolls, source);

		if (!c->marks->vertices[source] ||
			c->out.vertices[places[node]].layer == 0)
			continue;
		c->out.vertices[places[node]].layer = 0;
		queue[n++] = places[node];
	}
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t a = firsts[queue[i]]; a < firsts[queue[i] + 1];
			a++) {
			struct apsp_circuit_vertex *head =
				&c->out.vertices[c->out.arcs[a].to];

			if (head->layer != NO_LAYER)
				continue;
			head->layer = c->out.vertices[queue[i]].layer + 1;
			queue[n++] = c->out.arcs[a].to;
		}
}

/* Order the vertices by layer, and the arcs by the new indices. places[node]
   becomes the new index of the node; `moved` is working memory. */
static void order_set(struct work *c, uint32_t *places, uint32_t *moved)
{
	for (uint32_t i = 0; i < c->out.n_vertices; i++)
		moved[i] = c->out.vertices[i].vertex;
	qsort(c->out.vertices, c->out.n_vertices, sizeof(*c->out.vertices),
		vertices_compare);
	for (uint32_t i = 0; i < c->out.n_vertices; i++)
		places[c->out.vertices[i].vertex] = i;
	for (uint64_t a = 0; a < c->out.n_arcs; a++) {
		c->out.arcs[a].from = places[moved[c->out.arcs[a].from]];
		c->out.arcs[a].to = places[moved[c->out.arcs[a].to]];
	}
	qsort(c->out.arcs, c->out.n_arcs, sizeof(*c->out.arcs), arcs_compare);
}

static int complete(struct work *c, struct apsp_err *err)
{
	APSP_AUTO(apsp_free) uint32_t *places = NULL;
	APSP_AUTO(apsp_free) uint32_t *roll_places = NULL;
	APSP_AUTO(apsp_free) uint32_t *firsts = NULL;
	APSP_AUTO(apsp_free) uint32_t *queue = NULL;
	APSP_AUTO(apsp_free) double *weights = NULL;
	APSP_AUTO(apsp_free) uint64_t *ends = NULL;
	int r;

	places = calloc((size_t)c->marks->rolls->n_nodes + 1, sizeof(*places));
	roll_places =
		calloc(c->marks->rolls->n_rolls + 1, sizeof(*roll_places));
	c->out.arcs = calloc(c->out.n_arcs + 1, sizeof(*c->out.arcs));
	weights = calloc(c->marks->graph->n_arcs + 1, sizeof(*weights));
	ends = calloc(c->out.n_arcs + 1, sizeof(*ends));
	if (!places || !roll_places || !c->out.arcs || !weights || !ends)
		return no_memory(err);
	r = vertices_list(c, places, err);
	if (r < 0)
		return r;
	firsts = calloc((size_t)c->out.n_vertices + 1, sizeof(*firsts));
	queue = calloc((size_t)c->out.n_vertices + 1, sizeof(*queue));
	if (!firsts || !queue)
		return no_memory(err);
	arcs_list(c, places, roll_places);
	r = weights_sum(c, roll_places, weights, ends, err);
	if (r < 0)
		return r;
	qsort(c->out.arcs, c->out.n_arcs, sizeof(*c->out.arcs), arcs_compare);
	firsts_find(c, firsts);
	layers_set(c, places, firsts, queue);
	order_set(c, places, queue);
	return 0;
}

int apsp_circuit_answer_make(const struct apsp_circuit_question *question,
	const struct apsp_circuit_marks *marks, struct apsp_circuit_answer *out,
	struct apsp_err *err)
{
	struct work work = {
		.question = question,
		.marks = marks,
		.out.n_arcs = marks->n_arcs,
	};
	int r = complete(&work, err);

	if (r < 0)
		apsp_circuit_answer_done(&work.out);
	else
		*out = work.out;
	return r;
}
