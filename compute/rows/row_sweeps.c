/*
 * Sweeps over all vertices; see row_sweeps.h.
 *
 * A lane is the place of one source in struct lanes. A sweep visits the
 * vertices in the order of their numbers, and handles all lanes at once. Each
 * arc to a vertex gives a sum: the arc's integer length plus the integer
 * distance of the arc's tail. If this sum is less than the distance of the
 * vertex, it becomes the distance of the vertex. A sweep looks only at tails
 * whose distance was lowered in this sweep or in the previous one. When a sweep
 * lowers nothing, all distances are final. One more pass proves the distances
 * and finds the predecessors.
 */
#include "compute/rows/row_sweeps.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "compute/wide.h"
#include "daemon/base/auto.h"
#include "daemon/base/checksum.h"

enum {
	LANES = APSP_ROW_SWEEPS_LANES,
	/* Sweeps have the numbers 2 to SWEEPS_MAX - 1; in the array `lowered`,
	   0 and 1 mean that no sweep has lowered a distance. If the last sweep
	   still makes some distance smaller, the rows are computed by searches
	   (row_search.h) instead. */
	SWEEPS_MAX = 100,
	/* Sweeps are used only in graphs with at least this number of arcs for
	   each vertex on average. In graphs with fewer arcs, shortest paths
	   tend to have many arcs. */
	DEGREE_LEAST = 6,
	/* when arc a is read, the distances of the tail of arc a + AHEAD are
	   prefetched */
	AHEAD = 12,
	ALIGNMENT = 2 << 20, /* bytes of a large page */
};

/* the distance if there is no path; the sum of two such values does not
   overflow */
#define FAR INT32_C(0x3fffffff)

struct lanes {
	int32_t v[LANES];
};

struct apsp_row_sweeps {
	const struct apsp_row_graph *graph;
	struct lanes *v; /* the distances to each vertex */
	/* For each vertex, the number of the last sweep that lowered its
	   distance from any source. If no sweep has lowered a distance, the
	   number is 1 for a source, and 0 for any other vertex. */
	uint8_t *lowered;
};

APSP_AUTO_DEFINE(sweeps_end, struct apsp_row_sweeps, apsp_row_sweeps_free);

bool apsp_row_sweeps_pay(const struct apsp_row_graph *graph)
{
	return graph->narrow_values && graph->lengths.n_arcs / DEGREE_LEAST >=
					       graph->lengths.n_vertices;
}

int apsp_row_sweeps_new(const struct apsp_row_graph *graph,
	struct apsp_row_sweeps **out, struct apsp_err *err)
{
	APSP_AUTO(sweeps_end)
	struct apsp_row_sweeps *made = calloc(1, sizeof(*made));
	size_t n = graph->lengths.n_vertices, size = n * sizeof(struct lanes);

	if (made) {
		made->graph = graph;
		size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
		made->v = aligned_alloc(ALIGNMENT, size);
		made->lowered = malloc(n + 1);
	}
	if (!made || !made->v || !made->lowered)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for rows of %zu vertices", n);
	/* ask for large pages, because Linux makes them in less time than small
	   pages; if this call fails, the pages are small */
	(void)madvise(made->v, size, MADV_HUGEPAGE);
	*out = APSP_TAKE(made);
	return 0;
}

void apsp_row_sweeps_free(struct apsp_row_sweeps *sweeps)
{
	if (!sweeps)
		return;
	free(sweeps->v);
	free(sweeps->lowered);
	free(sweeps);
}

/* For each source (lane), let `sum` be the distance in `from` plus the integer
   of an arc. If the sum is less than the distance in `to`, store it there. */
static APSP_INLINE void relax(
	struct lanes *to, const struct lanes *from, int32_t value)
{
	for (int l = 0; l < LANES; l++) {
		int32_t sum = from->v[l] + value;

		to->v[l] = sum < to->v[l] ? sum : to->v[l];
	}
}

static APSP_INLINE bool differ(const struct lanes *a, const struct lanes *b)
{
	int32_t differs = 0;

	for (int l = 0; l < LANES; l++)
		differs |= a->v[l] ^ b->v[l];
	return differs != 0;
}

/* Lower the distances of vertex j from all sources (lanes). Returns whether any
   of them became smaller. */
static APSP_INLINE bool vertex_lower(
	struct apsp_row_sweeps *s, uint32_t j, uint8_t sweep)
{
	const struct apsp_row_graph *graph = s->graph;
	const struct apsp_in_arcs *in = &graph->lengths.in;
	uint64_t n_arcs = graph->lengths.n_arcs;
	struct lanes lowered = s->v[j];

	for (uint64_t a = in->offsets[j]; a < in->offsets[j + 1]; a++) {
		if (a + AHEAD < n_arcs) {
			uint32_t next = in->tails[a + AHEAD];

			if (s->lowered[next] + 1 >= sweep) {
				__builtin_prefetch(&s->v[next]);
				__builtin_prefetch(&s->v[next].v[16]);
			}
		}
		if (s->lowered[in->tails[a]] + 1 >= sweep)
			relax(&lowered, &s->v[in->tails[a]],
				graph->narrow_values[a]);
	}
	if (!differ(&lowered, &s->v[j]))
		return false;
	s->v[j] = lowered;
	return true;
}

/* Lower the distances of all vertices once. Returns whether any distance became
   smaller. */
APSP_WIDE static bool sweep_run(struct apsp_row_sweeps *s, uint8_t sweep)
{
	bool any = false;

	for (uint32_t j = 0; j < s->graph->lengths.n_vertices; j++)
		if (vertex_lower(s, j, sweep)) {
			s->lowered[j] = sweep;
			any = true;
		}
	return any;
}

/* The state of the pass that proves the distances from all sources; each source
   has a lane. */
struct proof {
	size_t n; /* number of rows */
	struct apsp_row_order *orders;
	uint64_t bits[LANES]; /* for each source (lane), one bit for each of up
				 to 64 neighbouring vertices: 1 if the source
				 reaches the vertex */
	bool wrong[LANES];    /* for each source (lane): some distance is
				 wrong */
	bool unfit[LANES]; /* for each source (lane): some distance does not fit
			      32 bits, or some path has too many arcs for the
			      scale of the integers */
};

/* For each source (lane), each arc to j gives a sum: the integer distance of
   its tail plus the arc's integer length. Store the minimum of these sums in
   `least`. Store in `which` the number of the first arc that gives the
   minimum. */
static APSP_INLINE void tightest_find(const struct apsp_row_sweeps *s,
	uint32_t j, struct lanes *least, struct lanes *which)
{
	const struct apsp_row_graph *graph = s->graph;
	const struct apsp_in_arcs *in = &graph->lengths.in;
	uint64_t n_arcs = graph->lengths.n_arcs, first = in->offsets[j];

	for (int l = 0; l < LANES; l++)
		least->v[l] = FAR;
	memset(which, 0, sizeof(*which));
	for (uint64_t a = first; a < in->offsets[j + 1]; a++) {
		const struct lanes *from = &s->v[in->tails[a]];
		int32_t value = graph->narrow_values[a];
		int32_t index = (int32_t)(a - first);

		if (a + AHEAD < n_arcs) {
			__builtin_prefetch(&s->v[in->tails[a + AHEAD]]);
			__builtin_prefetch(&s->v[in->tails[a + AHEAD]].v[16]);
		}
		for (int l = 0; l < LANES; l++) {
			int32_t sum = from->v[l] + value;
			bool nearer = sum < least->v[l];

			least->v[l] = nearer ? sum : least->v[l];
			which->v[l] = nearer ? index : which->v[l];
		}
	}
}

/* Whether the source in lane l has a path to the tail of any arc to j. */
static bool has_tail(const struct apsp_row_sweeps *s, uint32_t j, size_t l)
{
	const struct apsp_in_arcs *in = &s->graph->lengths.in;

	for (uint64_t a = in->offsets[j]; a < in->offsets[j + 1]; a++)
		if (s->v[in->tails[a]].v[l] < FAR)
			return true;
	return false;
}

/* For each row, prove the distance of vertex j, and store the predecessor of j.
 */
static void vertex_prove(const struct apsp_row_sweeps *s, struct proof *proof,
	uint32_t j, const struct lanes *least, const struct lanes *which)
{
	const struct apsp_row_graph *graph = s->graph;
	uint64_t first = graph->lengths.in.offsets[j];
	int32_t scale = graph->narrow_scale;

	for (size_t l = 0; l < proof->n; l++) {
		bool source = proof->orders[l].vertex == j;
		int32_t v = s->v[j].v[l];
		bool reached = v < FAR;

		proof->wrong[l] |= source ? v != 0 : v != least->v[l];
		if (!reached)
			proof->unfit[l] |= has_tail(s, j, l);
		else if (!source && scale > 1)
			proof->unfit[l] |= v % scale == 0;
		apsp_row_order_store(graph, j, reached && !source,
			first + (uint32_t)which->v[l], proof->orders[l].out);
		proof->bits[l] |= (uint64_t)reached << j % 64;
	}
}

static void bits_store(
	const struct apsp_row_graph *graph, struct proof *proof, uint32_t word)
{
	for (size_t l = 0; l < proof->n; l++)
		apsp_row_order_bits(graph, proof->orders[l].out)[word] =
			proof->bits[l];
	memset(proof->bits, 0, sizeof(proof->bits));
}

APSP_WIDE static void rows_prove(
	const struct apsp_row_sweeps *s, struct proof *proof)
{
	uint32_t n = s->graph->lengths.n_vertices;
	struct lanes least, which;

	for (uint32_t j = 0; j < n; j++) {
		tightest_find(s, j, &least, &which);
		vertex_prove(s, proof, j, &least, &which);
		if (j % 64 == 63 || j + 1 == n)
			bits_store(s->graph, proof, j / 64);
	}
}

static void begin(struct apsp_row_sweeps *s,
	const struct apsp_row_order *orders, size_t n)
{
	for (size_t j = 0; j < s->graph->lengths.n_vertices; j++)
		for (int l = 0; l < LANES; l++)
			s->v[j].v[l] = FAR;
	memset(s->lowered, 0, s->graph->lengths.n_vertices);
	for (size_t l = 0; l < n; l++) {
		s->v[orders[l].vertex].v[l] = 0;
		s->lowered[orders[l].vertex] = 1;
	}
}

static void order_end(
	const struct apsp_row_graph *graph, const struct proof *proof, size_t l)
{
	struct apsp_row_order *order = &proof->orders[l];
	size_t size = apsp_demand_bytes(&graph->header, order->demand);

	if (proof->unfit[l])
		return;
	order->done = true;
	order->result = 0;
	if (proof->wrong[l])
		order->result = apsp_fail(&order->err, APSP_EPROOF,
			"the distances from vertex %u are not the least",
			order->vertex);
	order->checksum = apsp_checksum(order->out, size);
}

void apsp_row_sweeps_run(
	struct apsp_row_sweeps *sweeps, struct apsp_row_order *orders, size_t n)
{
	struct proof proof = {.n = n, .orders = orders};
	uint8_t sweep = 2;

	begin(sweeps, orders, n);
	while (sweep < SWEEPS_MAX && sweep_run(sweeps, sweep))
		sweep++;
	if (sweep == SWEEPS_MAX)
		return;
	for (size_t l = 0; l < n; l++)
		memset(orders[l].out, 0,
			apsp_demand_bytes(
				&sweeps->graph->header, orders[l].demand));
	rows_prove(sweeps, &proof);
	for (size_t l = 0; l < n; l++)
		order_end(sweeps->graph, &proof, l);
}
