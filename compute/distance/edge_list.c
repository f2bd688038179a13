/*
 * Merges arcs into edges, and sorts edges by radix sort; see edge_list.h.
 */
#include "compute/distance/edge_list.h"

#include <stdbool.h>
#include <stdlib.h>

#include "compute/graph/counting_sort.h"
#include "daemon/base/auto.h"

/* The key by which one pass sorts edges: the position of the head or of the
   tail, or the segment of this position. */
struct edge_key {
	bool head;
	uint32_t divisor;
};

static uint32_t key_of(const struct apsp_edge *edge, struct edge_key key)
{
	uint32_t end =
		key.head ? edge->head : edge->tail & ~APSP_EDGE_BOTH_WAYS;

	return end / key.divisor;
}

/* Sort the edges of array `in` into array `out`. Edges with the same key keep
   their order. */
static int sort_pass(const struct apsp_edge *in, struct apsp_edge *out,
	uint64_t n_edges, uint32_t n_vertices, struct edge_key key,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_free) uint32_t *places = NULL;
	size_t n_keys = (size_t)n_vertices / key.divisor + 1;

	places = calloc(n_keys + 2, sizeof(*places));
	if (!places)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory to sort %llu edges",
			(unsigned long long)n_edges);
	for (uint64_t e = 0; e < n_edges; e++)
		apsp_counting_sort_count(places, key_of(&in[e], key));
	apsp_counting_sort_sum(places, n_keys);
	for (uint64_t e = 0; e < n_edges; e++)
		out[apsp_counting_sort_place(places, key_of(&in[e], key))] =
			in[e];
	return 0;
}

/*
 * Sort edges by three keys: first by the segment of the head, then by the
 * segment of the tail, then by the head. All edges must be sorted by tail
 * before the call. Edges with the same three keys keep their order, so they
 * stay sorted by tail.
 */
static int edges_sort(struct apsp_edge_list *list, uint32_t n_vertices,
	uint32_t segment, struct apsp_err *err)
{
	const struct edge_key keys[] = {
		{.head = true, .divisor = 1},
		{.head = false, .divisor = segment},
		{.head = true, .divisor = segment},
	};
	APSP_AUTO(apsp_free) struct apsp_edge *other = NULL;

	other = malloc((list->n_edges + 1) * sizeof(*other));
	if (!other)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory to sort %llu edges",
			(unsigned long long)list->n_edges);
	for (size_t k = 0; k < sizeof(keys) / sizeof(*keys); k++) {
		struct apsp_edge *sorted = other;
		int r = sort_pass(list->edges, sorted, list->n_edges,
			n_vertices, keys[k], err);

		if (r < 0)
			return r;
		other = list->edges;
		list->edges = sorted;
	}
	return 0;
}

/* Return whether `arc`, an arc of vertex `tail`, has a twin: an arc of the same
   length in the opposite direction. */
static bool has_twin(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, uint32_t tail, uint64_t arc)
{
	uint32_t head = lengths->heads[arc];
	uint64_t back = apsp_lengths_find(lengths, head, tail);

	return back != APSP_NO_ARC &&
	       apsp_integers_at(lengths, integers, head, back) ==
		       apsp_integers_at(lengths, integers, tail, arc);
}

static void append(struct apsp_edge_list *list, uint32_t tail, uint32_t head,
	int64_t length)
{
	list->edges[list->n_edges++] = (struct apsp_edge){
		.tail = tail, .head = head, .length = length};
}

/* Append the arcs of vertex u as edges. If `merge` is set, two opposite arcs of
   the same length are appended as one edge. The tail of this edge is the end
   with the lower position. */
static void append_row(struct apsp_edge_list *list,
	const struct apsp_lengths *lengths,
	const struct apsp_integers *integers,
	const struct apsp_positions *positions, uint32_t u, int64_t infinity,
	bool merge)
{
	uint32_t tail = positions->of[u];

	for (uint64_t e = lengths->offsets[u]; e < lengths->offsets[u + 1];
		e++) {
		uint32_t head = positions->of[lengths->heads[e]];
		int64_t length = apsp_integers_at(lengths, integers, u, e);

		if (length >= infinity)
			continue;
		if (!merge || !has_twin(lengths, integers, u, e))
			append(list, tail, head, length);
		else if (tail < head)
			append(list, tail | APSP_EDGE_BOTH_WAYS, head, length);
	}
}

int apsp_edge_list_build(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers,
	const struct apsp_positions *positions, int64_t infinity,
	uint32_t segment, struct apsp_edge_list *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_edge_list_done) struct apsp_edge_list list = {0};
	uint32_t n = lengths->n_vertices;
	int r = 0;

	list.edges = malloc((lengths->n_arcs + 1) * sizeof(*list.edges));
	if (!list.edges)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory to list %llu arcs",
			(unsigned long long)lengths->n_arcs);
	for (uint32_t p = 0; p < n; p++)
		append_row(&list, lengths, integers, positions,
			segment > 0 ? positions->vertices[p] : p, infinity,
			segment > 0);
	if (segment > 0)
		r = edges_sort(&list, n, segment, err);
	if (r < 0)
		return r;
	*out = APSP_TAKE(list);
	return 0;
}

void apsp_edge_list_done(struct apsp_edge_list *list)
{
	free(list->edges);
	*list = (struct apsp_edge_list){0};
}
