/*
 * Two runs of Dijkstra from one root, in two threads; see distance_bound.h.
 */
#include "compute/graph/distance_bound.h"

#include <stdbool.h>
#include <stdlib.h>

#include "compute/graph/dijkstra.h"
#include "compute/graph/in_arcs.h"
#include "compute/parallel.h"
#include "daemon/base/auto.h"

enum {
	FORWARD,
	BACKWARD,
	DIRECTIONS,
};

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

/* One direction's run. */
struct look {
	struct apsp_dijkstra_arcs arcs;
	struct apsp_dijkstra *dijkstra;
	int64_t *distances;
	uint32_t *hops;
};

struct search {
	struct apsp_in_arcs in_arcs;
	struct source source;
	uint32_t root;
	struct look looks[DIRECTIONS];
};

static void search_done(struct search *s)
{
	for (int d = 0; d < DIRECTIONS; d++) {
		apsp_dijkstra_free(s->looks[d].dijkstra);
		free(s->looks[d].distances);
		free(s->looks[d].hops);
	}
	apsp_in_arcs_done(&s->in_arcs);
}

static int look_init(struct look *look, const struct apsp_dijkstra_arcs *arcs,
	struct apsp_err *err)
{
	size_t n = arcs->n_vertices;

	look->arcs = *arcs;
	look->distances = malloc((n + 1) * sizeof(*look->distances));
	look->hops = malloc((n + 1) * sizeof(*look->hops));
	if (!look->distances || !look->hops)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory to bound the distances of %zu vertices", n);
	return apsp_dijkstra_new(&look->arcs, &look->dijkstra, err);
}

static int search_init(struct search *s, const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, struct apsp_err *err)
{
	struct apsp_dijkstra_arcs arcs = {.n_vertices = lengths->n_vertices,
		.offsets = lengths->offsets,
		.ends = lengths->heads,
		.row = row_forward,
		.ctx = &s->source};
	int r = apsp_in_arcs_build(lengths, &s->in_arcs, err);

	if (r < 0)
		return r;
	s->source = (struct source){lengths, integers, &s->in_arcs};
	s->root = busiest_vertex(lengths, &s->in_arcs);
	r = look_init(&s->looks[FORWARD], &arcs, err);
	arcs.offsets = s->in_arcs.offsets;
	arcs.ends = s->in_arcs.tails;
	arcs.row = row_backward;
	return r < 0 ? r : look_init(&s->looks[BACKWARD], &arcs, err);
}

static void look_run(void *ctx, unsigned int thread, size_t direction)
{
	struct search *s = ctx;
	struct look *look = &s->looks[direction];

	(void)thread;
	apsp_dijkstra_run(look->dijkstra, s->root, look->distances, look->hops);
}

/* Raise the bounds by paths from the root or, backward, by paths to it. */
static void look_take(
	const struct search *s, int direction, int64_t *v, uint32_t *hops)
{
	const struct look *look = &s->looks[direction];
	const int64_t *h = s->source.integers->potentials;
	uint32_t root = s->root;

	for (uint32_t u = 0; u < look->arcs.n_vertices; u++) {
		int64_t distance = look->distances[u];

		if (distance == APSP_DIJKSTRA_INFINITY)
			continue;
		if (h)
			distance += direction == BACKWARD ? h[root] - h[u]
							  : h[u] - h[root];
		if (distance > *v)
			*v = distance;
		if (look->hops[u] > *hops)
			*hops = look->hops[u];
	}
}

int apsp_distance_bound_find(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, int64_t *out_v,
	uint32_t *out_hops, struct apsp_err *err)
{
	APSP_AUTO(search_done) struct search s = {0};
	int64_t most = 0;
	uint32_t hops = 0;

	if (lengths->n_vertices != 0) {
		int r = search_init(&s, lengths, integers, err);

		if (r < 0)
			return r;
		apsp_parallel_for(
			DIRECTIONS, apsp_parallel_width(), look_run, &s);
		for (int d = 0; d < DIRECTIONS; d++)
			look_take(&s, d, &most, &hops);
	}
	*out_v = most;
	*out_hops = hops;
	return 0;
}
