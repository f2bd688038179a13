/*
 * Finds the paths from and to the root by Dijkstra's algorithm, and sorts the
 * vertices by them; see settle_order.h.
 */
#include "compute/tables/settle_order.h"

#include <stdbool.h>
#include <stdlib.h>

#include "compute/graph/dijkstra.h"
#include "daemon/base/auto.h"

/* The arcs whose flag is 1, grouped by tail or by head. */
struct side {
	uint64_t *offsets;
	uint32_t *ends;
	int64_t *ranks;
	int64_t *distances;
	uint32_t *hops;
};

/* A vertex, and its path from or to the root. */
struct place {
	int64_t distance;
	uint32_t hops;
	uint32_t vertex;
};

static void side_done(struct side *side)
{
	free(side->offsets);
	free(side->ends);
	free(side->ranks);
	free(side->distances);
	free(side->hops);
}

static int side_init(
	struct side *side, size_t n, size_t n_arcs, struct apsp_err *err)
{
	side->offsets = calloc(n + 2, sizeof(*side->offsets));
	side->ends = malloc((n_arcs + 1) * sizeof(*side->ends));
	side->ranks = malloc((n_arcs + 1) * sizeof(*side->ranks));
	side->distances = malloc((n + 1) * sizeof(*side->distances));
	side->hops = malloc((n + 1) * sizeof(*side->hops));
	if (side->offsets && side->ends && side->ranks && side->distances &&
		side->hops)
		return 0;
	return apsp_fail(err, APSP_ENOMEM,
		"no memory to order %zu vertices by their paths", n);
}

/* Group the arcs: by head if `backward`, else by tail. */
static void side_fill(struct side *side, const struct apsp_lengths *lengths,
	const uint8_t *flags, bool backward)
{
	uint32_t n = lengths->n_vertices;
	uint64_t *places = side->offsets + 1;

	for (uint32_t u = 0; u < n; u++)
		for (uint64_t e = lengths->offsets[u];
			e < lengths->offsets[u + 1]; e++)
			places[(backward ? lengths->heads[e] : u) + 1] +=
				flags[e];
	for (uint32_t v = 0; v < n; v++)
		places[v + 1] += places[v];
	/* places[v] is now the first place of v, and moves on to the first
	   place of v + 1, which is then the offset of v + 1 */
	for (uint32_t u = 0; u < n; u++)
		for (uint64_t e = lengths->offsets[u];
			e < lengths->offsets[u + 1]; e++) {
			uint32_t head = lengths->heads[e];
			uint64_t at;

			if (!flags[e])
				continue;
			at = places[backward ? head : u]++;
			side->ends[at] = backward ? u : head;
			side->ranks[at] = (int64_t)lengths->lengths[e];
		}
}

static void row_put(const void *ctx, uint32_t vertex, int64_t *out)
{
	const struct side *side = ctx;

	for (uint64_t e = side->offsets[vertex]; e < side->offsets[vertex + 1];
		e++)
		*out++ = side->ranks[e];
}

static int side_search(
	struct side *side, uint32_t n, uint32_t root, struct apsp_err *err)
{
	const struct apsp_dijkstra_arcs arcs = {.n_vertices = n,
		.offsets = side->offsets,
		.ends = side->ends,
		.row = row_put,
		.ctx = side,
		.widest = true};
	struct apsp_dijkstra *dijkstra = NULL;
	int r = apsp_dijkstra_new(&arcs, &dijkstra, err);

	if (r >= 0)
		apsp_dijkstra_run(dijkstra, root, side->distances, side->hops);
	apsp_dijkstra_free(dijkstra);
	return r;
}

static int nearer(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->distance != y->distance)
		return x->distance < y->distance ? -1 : 1;
	if (x->hops != y->hops)
		return x->hops < y->hops ? -1 : 1;
	return (x->vertex > y->vertex) - (x->vertex < y->vertex);
}

/* Sort the vertices by their paths. A vertex comes after all vertices of its
   path, since they have a smaller distance, or the same and fewer hops. */
static int side_sort(const struct side *side, uint32_t n, bool backward,
	uint32_t *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_free) struct place *places = NULL;

	places = malloc((n + 1) * sizeof(*places));
	if (!places)
		return apsp_fail(
			err, APSP_ENOMEM, "no memory to order %u vertices", n);
	for (uint32_t v = 0; v < n; v++)
		places[v] =
			(struct place){side->distances[v], side->hops[v], v};
	qsort(places, n, sizeof(*places), nearer);
	for (uint32_t i = 0; i < n; i++)
		out[backward ? n - 1 - i : i] = places[i].vertex;
	return 0;
}

/* Return the vertex with the most arcs. */
static uint32_t root_of(const struct side sides[2], uint32_t n)
{
	uint64_t most = 0;
	uint32_t root = 0;

	for (uint32_t v = 0; v < n; v++) {
		uint64_t out = sides[0].offsets[v + 1] - sides[0].offsets[v];
		uint64_t in = sides[1].offsets[v + 1] - sides[1].offsets[v];
		uint64_t degree = (out < in ? out : in) * 2 + out + in;

		if (degree > most) {
			most = degree;
			root = v;
		}
	}
	return root;
}

int apsp_settle_order_make(const struct apsp_lengths *lengths,
	const uint8_t *flags, uint32_t *out, struct apsp_err *err)
{
	APSP_AUTO(side_done) struct side from = {0};
	APSP_AUTO(side_done) struct side to = {0};
	uint32_t n = lengths->n_vertices, root;
	size_t n_arcs = 0;
	int r;

	for (uint64_t e = 0; e < lengths->n_arcs; e++)
		n_arcs += flags[e];
	r = side_init(&from, n, n_arcs, err);
	if (r >= 0)
		r = side_init(&to, n, n_arcs, err);
	if (r < 0)
		return r;
	side_fill(&from, lengths, flags, false);
	side_fill(&to, lengths, flags, true);
	root = root_of((const struct side[]){from, to}, n);
	r = side_search(&from, n, root, err);
	if (r >= 0)
		r = side_search(&to, n, root, err);
	if (r >= 0)
		r = side_sort(&to, n, true, out, err);
	return r < 0 ? r : side_sort(&from, n, false, out + n, err);
}
