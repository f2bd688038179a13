/*
 * Two runs of Dijkstra from one root; see distance_bound.h.
 */
#include "compute/graph/distance_bound.h"

#include <stdbool.h>
#include <stdlib.h>

#include "compute/graph/dijkstra.h"
#include "compute/graph/in_arcs.h"
#include "daemon/base/auto.h"

struct scratch {
	int64_t *distances;
	uint32_t *hops;
	struct apsp_in_arcs in_arcs;
};

static void scratch_done(struct scratch *s)
{
	free(s->distances);
	free(s->hops);
	apsp_in_arcs_done(&s->in_arcs);
}

static int scratch_init(struct scratch *s, const struct apsp_lengths *lengths,
	struct apsp_err *err)
{
	size_t n = lengths->n_vertices;

	s->distances = malloc((n + 1) * sizeof(*s->distances));
	s->hops = malloc((n + 1) * sizeof(*s->hops));
	if (!s->distances || !s->hops)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory to bound the distances of %zu vertices", n);
	return apsp_in_arcs_build(lengths, &s->in_arcs, err);
}

/* Both directions read their lengths from this. */
struct source {
	const struct apsp_lengths *lengths;
	const struct apsp_integers *integers;
	const struct apsp_in_arcs *in_arcs;
};

static void row_forward(const void *ctx, uint32_t vertex, int64_t *out)
{
	const struct source *source = ctx;

	apsp_integers_row(source->lengths, source->integers, vertex, out);
}

static void row_backward(const void *ctx, uint32_t vertex, int64_t *out)
{
	const struct source *source = ctx;
	const struct apsp_in_arcs *in = source->in_arcs;

	for (uint64_t i = in->offsets[vertex]; i < in->offsets[vertex + 1];
		i++) {
		uint32_t tail = in->tails[i];

		*out++ = apsp_integers_at(source->lengths, source->integers,
			tail, source->lengths->offsets[tail] + in->ranks[i]);
	}
}

static uint32_t busiest_vertex(
	const struct apsp_lengths *lengths, const struct apsp_in_arcs *in_arcs)
{
	uint64_t most = 0;
	uint32_t busiest = 0;

	for (uint32_t v = 0; v < lengths->n_vertices; v++) {
		uint64_t degree = lengths->offsets[v + 1] -
				  lengths->offsets[v] +
				  in_arcs->offsets[v + 1] - in_arcs->offsets[v];

		if (degree > most) {
			most = degree;
			busiest = v;
		}
	}
	return busiest;
}

/* Raise the bounds by paths from root or, backward, by paths to it. */
static int look(const struct apsp_dijkstra_arcs *arcs,
	const struct apsp_integers *integers, uint32_t root, bool backward,
	struct scratch *s, int64_t *v, uint32_t *hops, struct apsp_err *err)
{
	const int64_t *h = integers->potentials;
	struct apsp_dijkstra *dijkstra;
	int r;

	r = apsp_dijkstra_new(arcs, &dijkstra, err);
	if (r < 0)
		return r;
	apsp_dijkstra_run(dijkstra, root, s->distances, s->hops);
	apsp_dijkstra_free(dijkstra);

	for (uint32_t u = 0; u < arcs->n_vertices; u++) {
		int64_t distance = s->distances[u];

		if (distance == APSP_DIJKSTRA_INFINITY)
			continue;
		if (h)
			distance += backward ? h[root] - h[u] : h[u] - h[root];
		if (distance > *v)
			*v = distance;
		if (s->hops[u] > *hops)
			*hops = s->hops[u];
	}
	return 0;
}

int apsp_distance_bound_find(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, int64_t *out_v,
	uint32_t *out_hops, struct apsp_err *err)
{
	APSP_AUTO(scratch_done) struct scratch s = {0};
	const struct source source = {lengths, integers, &s.in_arcs};
	struct apsp_dijkstra_arcs arcs = {.n_vertices = lengths->n_vertices,
		.offsets = lengths->offsets,
		.ends = lengths->heads,
		.row = row_forward,
		.ctx = &source};
	int64_t most = 0;
	uint32_t hops = 0;
	uint32_t root;
	int r;

	r = scratch_init(&s, lengths, err);
	if (r < 0)
		return r;
	if (lengths->n_vertices != 0) {
		root = busiest_vertex(lengths, &s.in_arcs);
		r = look(&arcs, integers, root, false, &s, &most, &hops, err);
		if (r < 0)
			return r;
		arcs.offsets = s.in_arcs.offsets;
		arcs.ends = s.in_arcs.tails;
		arcs.row = row_backward;
		r = look(&arcs, integers, root, true, &s, &most, &hops, err);
		if (r < 0)
			return r;
	}
	*out_v = most;
	*out_hops = hops;
	return 0;
}
