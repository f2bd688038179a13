/*
 * Runs Dijkstra's algorithm twice from one root, forward and backward, in two
 * threads; see root_paths.h. The backward run starts first because it takes
 * longer: it reads the arcs by head, and must look up each arc's length in the
 * row of the arc's tail.
 */
#include "compute/graph/root_paths.h"

#include <stdlib.h>
#include <string.h>

#include "compute/graph/dijkstra.h"
#include "compute/graph/semiring.h"
#include "daemon/base/auto.h"

enum {
	BACKWARD,
	FORWARD,
	DIRECTIONS,
};

enum {
	/* largest number of better roots that apsp_root_paths_choose() tries */
	MOVES = 8,
};

/* The inputs and outputs of the forward and the backward run; shared by the
   threads. */
struct search {
	const struct apsp_lengths *lengths;
	const struct apsp_integers *integers;
	uint32_t root;
	struct apsp_dijkstra *dijkstras[DIRECTIONS];
	const struct apsp_root_side *sides[DIRECTIONS];
};

static void search_done(struct search *s)
{
	for (int d = 0; d < DIRECTIONS; d++)
		apsp_dijkstra_free(s->dijkstras[d]);
}

static void side_done(struct apsp_root_side *side)
{
	free(side->distances);
	free(side->hops);
}

void apsp_root_paths_done(struct apsp_root_paths *paths)
{
	side_done(&paths->from);
	side_done(&paths->to);
	*paths = (struct apsp_root_paths){0};
}

static void row_forward(const void *ctx, uint32_t vertex, int64_t *out)
{
	const struct search *s = ctx;

	apsp_integers_row(s->lengths, s->integers, vertex, out);
}

static void row_backward(const void *ctx, uint32_t vertex, int64_t *out)
{
	const struct search *s = ctx;
	const struct apsp_in_arcs *in = &s->lengths->in;

	for (uint64_t i = in->offsets[vertex]; i < in->offsets[vertex + 1]; i++)
		*out++ = apsp_integers_at(
			s->lengths, s->integers, in->tails[i], in->arcs[i]);
}

static uint64_t degree_of(const struct apsp_lengths *lengths, uint32_t v)
{
	return lengths->offsets[v + 1] - lengths->offsets[v] +
	       lengths->in.offsets[v + 1] - lengths->in.offsets[v];
}

static uint32_t busiest_vertex(const struct apsp_lengths *lengths)
{
	uint64_t most = 0;
	uint32_t busiest = 0;

	for (uint32_t v = 0; v < lengths->n_vertices; v++) {
		uint64_t degree = degree_of(lengths, v);

		if (degree > most) {
			most = degree;
			busiest = v;
		}
	}
	return busiest;
}

static int side_init(
	struct apsp_root_side *side, size_t n_vertices, struct apsp_err *err)
{
	side->distances = malloc((n_vertices + 1) * sizeof(*side->distances));
	side->hops = malloc((n_vertices + 1) * sizeof(*side->hops));
	if (!side->distances || !side->hops)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for the paths from one of %zu vertices",
			n_vertices);
	return 0;
}

static int search_init(struct search *s, struct apsp_err *err)
{
	const struct apsp_lengths *lengths = s->lengths;
	struct apsp_dijkstra_arcs arcs = {.n_vertices = lengths->n_vertices,
		.offsets = lengths->offsets,
		.ends = lengths->heads,
		.row = row_forward,
		.ctx = s,
		.widest = s->integers->kind == APSP_DISTANCE_WIDTH};
	int r = apsp_dijkstra_new(&arcs, &s->dijkstras[FORWARD], err);

	arcs.offsets = lengths->in.offsets;
	arcs.ends = lengths->in.tails;
	arcs.row = row_backward;
	return r < 0 ? r
		     : apsp_dijkstra_new(&arcs, &s->dijkstras[BACKWARD], err);
}

static void side_find(void *ctx, unsigned int thread, size_t direction)
{
	struct search *s = ctx;
	const struct apsp_root_side *side = s->sides[direction];

	(void)thread;
	apsp_dijkstra_run(s->dijkstras[direction], s->root, side->distances,
		side->hops, NULL);
}

/* Find the paths from and to `root`. The graph must have this vertex. */
static int root_search(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, uint32_t root,
	const struct apsp_parallel_part *beside, struct apsp_root_paths *out,
	struct apsp_err *err)
{
	APSP_AUTO(search_done)
	struct search s = {
		.lengths = lengths, .integers = integers, .root = root};
	APSP_AUTO(apsp_root_paths_done) struct apsp_root_paths made = {0};
	const struct apsp_parallel_part parts[] = {{DIRECTIONS, side_find, &s},
		beside ? *beside : (struct apsp_parallel_part){0}};
	int r = search_init(&s, err);

	if (r >= 0)
		r = side_init(&made.from, lengths->n_vertices, err);
	if (r >= 0)
		r = side_init(&made.to, lengths->n_vertices, err);
	if (r < 0)
		return r;
	made.root = s.root;
	made.scale = integers->scale;
	s.sides[FORWARD] = &made.from;
	s.sides[BACKWARD] = &made.to;
	apsp_parallel_parts(parts, 2, apsp_parallel_processors());
	*out = APSP_TAKE(made);
	return 0;
}

int apsp_root_paths_find(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers,
	const struct apsp_parallel_part *beside, struct apsp_root_paths *out,
	struct apsp_err *err)
{
	if (lengths->n_vertices > 0)
		return root_search(lengths, integers, busiest_vertex(lengths),
			beside, out, err);
	if (beside)
		apsp_parallel_for(beside->n, apsp_parallel_processors(),
			beside->body, beside->ctx);
	*out = (struct apsp_root_paths){0};
	return 0;
}

static int value_order(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Return the distance that occurs most often in one direction: among the
   distances from the root, or among the distances to the root. */
static int64_t commonest(
	const struct apsp_root_side *side, size_t n, int64_t *sorted)
{
	int64_t found = APSP_DIJKSTRA_INFINITY;
	size_t most = 0;

	memcpy(sorted, side->distances, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), value_order);
	for (size_t at = 0, end; at < n; at = end) {
		for (end = at + 1; end < n && sorted[end] == sorted[at];)
			end++;
		if (end - at > most) {
			most = end - at;
			found = sorted[at];
		}
	}
	return found;
}

/*
 * Return a vertex that may be a better root than the present root. The
 * candidates are the vertices that have the commonest value in both directions,
 * from the root and to the root. Return the candidate with the largest degree;
 * if there is no candidate, return the root.
 *
 * The reason: suppose that the root's own arcs are narrow. Then one of these
 * arcs is the narrowest arc of many paths from and to the root. Therefore many
 * vertices have the same value. But wider paths between these vertices can
 * avoid the root.
 */
static uint32_t better_root(const struct apsp_lengths *lengths,
	const struct apsp_root_paths *paths, int64_t *sorted)
{
	uint32_t n = lengths->n_vertices, found = paths->root;
	int64_t from = commonest(&paths->from, n, sorted);
	int64_t to = commonest(&paths->to, n, sorted);
	uint64_t most = 0;

	for (uint32_t v = 0; v < n; v++) {
		uint64_t degree = degree_of(lengths, v);

		if (v == paths->root || degree <= most ||
			paths->from.distances[v] != from ||
			paths->to.distances[v] != to)
			continue;
		most = degree;
		found = v;
	}
	return found;
}

/* Return the value of a path. A value is at most 2^31. If there is no path,
   return 2^32: this is worse than every value. */
static int64_t value_or_most(int64_t value)
{
	return value == APSP_DIJKSTRA_INFINITY ? INT64_C(1) << 32 : value;
}

/* Return the sum of the values of all paths from and to the root. A value is a
   rank, and wide paths have low ranks. So the sum is small if most of these
   paths are wide. */
static int64_t values_sum(const struct apsp_root_paths *paths, uint32_t n)
{
	int64_t sum = 0;

	for (uint32_t v = 0; v < n; v++)
		sum += value_or_most(paths->from.distances[v]) +
		       value_or_most(paths->to.distances[v]);
	return sum;
}

int apsp_root_paths_choose(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, uint32_t root,
	struct apsp_root_paths *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_root_paths_done) struct apsp_root_paths best = {0};
	APSP_AUTO(apsp_free) int64_t *sorted = NULL;
	uint32_t n = lengths->n_vertices;
	int r;

	sorted = malloc((n + (size_t)1) * sizeof(*sorted));
	if (!sorted)
		return apsp_fail(err, APSP_ENOMEM, "look for a better root");
	r = n > 0 ? root_search(lengths, integers, root, NULL, &best, err) : 0;
	for (int move = 0; n > 0 && r >= 0 && move < MOVES; move++) {
		APSP_AUTO(apsp_root_paths_done)
		struct apsp_root_paths next = {0};

		root = better_root(lengths, &best, sorted);
		if (root == best.root)
			break;
		r = root_search(lengths, integers, root, NULL, &next, err);
		if (r < 0 || values_sum(&next, n) >= values_sum(&best, n))
			break;
		apsp_root_paths_done(&best);
		best = APSP_TAKE(next);
	}
	if (r < 0)
		return r;
	*out = APSP_TAKE(best);
	return 0;
}

/*
 * Raise *v to the largest integer distance of the paths of `side`, and *hops to
 * the largest number of arcs of one of these paths. A value that is already
 * larger does not change. `sign` is 1 for paths from the root, -1 for paths to
 * the root.
 */
static void side_bound(const struct apsp_root_side *side, uint32_t n_vertices,
	const int64_t *potentials, uint32_t root, int sign, int64_t *v,
	uint32_t *hops)
{
	for (uint32_t u = 0; u < n_vertices; u++) {
		int64_t distance = side->distances[u];

		if (distance == APSP_DIJKSTRA_INFINITY)
			continue;
		if (potentials)
			distance += sign * (potentials[u] - potentials[root]);
		if (distance > *v)
			*v = distance;
		if (side->hops[u] > *hops)
			*hops = side->hops[u];
	}
}

void apsp_root_paths_bound(const struct apsp_root_paths *paths,
	const struct apsp_integers *integers, uint32_t n_vertices,
	int64_t *out_v, uint32_t *out_hops)
{
	*out_v = 0;
	*out_hops = 0;
	side_bound(&paths->from, n_vertices, integers->potentials, paths->root,
		1, out_v, out_hops);
	side_bound(&paths->to, n_vertices, integers->potentials, paths->root,
		-1, out_v, out_hops);
}
