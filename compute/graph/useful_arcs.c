/*
 * Finds useless arcs in two steps; see useful_arcs.h. First each arc is
 * compared with the path from its tail through the root to its head. Arcs that
 * are not longer than this path are called remaining arcs. Then each remaining
 * arc is compared with all paths of two remaining arcs from its tail to its
 * head.
 */
#include "compute/graph/useful_arcs.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "compute/arc_search.h"
#include "compute/graph/dijkstra.h"
#include "compute/graph/semiring.h"
#include "compute/parallel.h"
#include "daemon/base/auto.h"
#include "daemon/base/clock.h"

enum {
	/* number of tails in a block; a task compares the arcs of a block */
	TAILS = 64,
	/* Remaining arcs are compared with paths of two arcs only if (number of
	   remaining arcs) · (number of sources) is greater than
	   SOURCES_PER_PATH · (number of these paths); see pairs_pay(). */
	SOURCES_PER_PATH = 20,
};

/* Seconds that a processor takes to compare an arc with one path of two
   arcs. */
#define PATH_S 1e-9

/* The state of the search; shared by the threads. */
struct search {
	const struct apsp_lengths *lengths;
	const struct apsp_integers *integers;
	/* The result. During the search, entry u of lengths.offsets holds the
	   number of arcs of tail u that may still be useful. */
	struct apsp_useful_arcs *useful;
	const struct apsp_stop *stop;
	unsigned int n_threads;
	int64_t *to;   /* distances from each vertex to the root */
	int64_t *from; /* distances from the root to each vertex */
	/* The remaining arcs, as rows by tail. An arc remains if it is not
	   longer than the path from its tail through the root to its head. */
	uint64_t *offsets;
	uint32_t *heads;
	int64_t *values;
	/* number of paths of two remaining arcs */
	atomic_uint_least64_t n_pairs;
	/* time at which the comparison with paths of two arcs must end */
	double until_s;
	/*
	 * For each thread, n_vertices entries. If a remaining arc leads from
	 * the current tail to vertex v, entry v is the smallest length found so
	 * far of a path from the tail to v. The entries of all other vertices
	 * are 0, and stay 0, because no length of a path is below 0.
	 */
	int64_t *least;
};

static void search_done(struct search *s)
{
	free(s->to);
	free(s->from);
	free(s->offsets);
	free(s->heads);
	free(s->values);
	free(s->least);
	s->to = s->from = s->values = s->least = NULL;
	s->offsets = NULL;
	s->heads = NULL;
}

void apsp_useful_arcs_done(struct apsp_useful_arcs *useful)
{
	apsp_lengths_done(&useful->lengths);
	free(useful->useless);
	*useful = (struct apsp_useful_arcs){0};
}

static int no_memory(struct apsp_err *err)
{
	return apsp_fail(err, APSP_ENOMEM, "look for useless arcs");
}

/* Call `body` for each block of tails. After a stop is requested, all further
   blocks are empty. APSP_ECANCELLED: a stop was requested. */
static int blocks_each(struct search *s,
	void (*body)(void *ctx, unsigned int thread, size_t i),
	struct apsp_err *err)
{
	size_t n = s->lengths->n_vertices;

	apsp_parallel_for((n + TAILS - 1) / TAILS, s->n_threads, body, s);
	return apsp_stop_check(s->stop, err);
}

/* The tails of a block: the vertices [first, end). The range is empty if a stop
   was requested. */
struct tails {
	uint32_t first, end;
};

static struct tails block_tails(const struct search *s, size_t block)
{
	uint32_t n = s->lengths->n_vertices, first = (uint32_t)block * TAILS;

	if (apsp_stop_reason(s->stop) != APSP_STOP_NONE)
		return (struct tails){0, 0};
	return (struct tails){first, n - first < TAILS ? n : first + TAILS};
}

static void tails_compare(void *ctx, unsigned int thread, size_t block)
{
	const struct search *s = ctx;
	const struct apsp_lengths *l = s->lengths;
	struct tails tails = block_tails(s, block);
	bool widest = s->integers->kind == APSP_DISTANCE_WIDTH;

	(void)thread;
	for (uint32_t u = tails.first; u < tails.end; u++) {
		uint64_t left = 0;

		for (uint64_t e = l->offsets[u]; e < l->offsets[u + 1]; e++) {
			int64_t length = apsp_integers_at(l, s->integers, u, e);
			int64_t from = s->from[l->heads[e]];
			/* `length - s->to[u]` does not overflow, because
			   s->to[u] is from 0 to INT64_MAX (no path) */
			bool longer = widest ? length > apsp_extend(true,
								s->to[u], from)
					     : length - s->to[u] > from;

			s->useful->useless[e] = longer;
			left += !longer;
		}
		s->useful->lengths.offsets[u] = left;
	}
}

/*
 * Return the length, as a sum of `integers`, of the stored path between v and
 * the root; APSP_DIJKSTRA_INFINITY: there is no path. The path must have been
 * found with integers of the same lengths, but they may have another scale,
 * paths->scale. If the number of the path's arcs is not below the scale of
 * `integers`, another path can have a smaller sum of `integers`.
 *
 * The scales can differ only if the kind of the integers is SCALED. In this
 * kind, the integer of an arc is (length of the arc) · scale + 1, and the sum
 * of a path is (length of the path) · scale + (number of arcs).
 */
static int64_t root_paths_length(const struct apsp_root_paths *paths,
	const struct apsp_root_side *side, uint32_t v,
	const struct apsp_integers *integers)
{
	int64_t length = side->distances[v], hops = side->hops[v];

	if (length == APSP_DIJKSTRA_INFINITY || integers->scale == paths->scale)
		return length;
	return (length - hops) / paths->scale * integers->scale + hops;
}

/* Find the arcs that are longer than the path from their tail through the root
   to their head. */
static int root_compare(struct search *s, const struct apsp_root_paths *paths,
	struct apsp_err *err)
{
	uint32_t n = s->lengths->n_vertices;

	s->to = malloc(n * sizeof(*s->to));
	s->from = malloc(n * sizeof(*s->from));
	if (!s->to || !s->from)
		return no_memory(err);
	for (uint32_t v = 0; v < n; v++) {
		s->to[v] = root_paths_length(paths, &paths->to, v, s->integers);
		s->from[v] =
			root_paths_length(paths, &paths->from, v, s->integers);
	}
	return blocks_each(s, tails_compare, err);
}

/* Count the paths of two remaining arcs that begin in a block of tails. */
static void tails_count(void *ctx, unsigned int thread, size_t block)
{
	struct search *s = ctx;
	const struct apsp_lengths *l = s->lengths;
	const uint64_t *counts = s->useful->lengths.offsets;
	struct tails tails = block_tails(s, block);
	uint64_t n_pairs = 0;

	(void)thread;
	for (uint32_t u = tails.first; u < tails.end; u++)
		for (uint64_t e = l->offsets[u]; e < l->offsets[u + 1]; e++)
			if (!s->useful->useless[e])
				n_pairs += counts[l->heads[e]];
	atomic_fetch_add(&s->n_pairs, n_pairs);
}

/*
 * Decide whether to compare each remaining arc with the paths of two arcs
 * between its ends. The result is false if there are too many of these paths
 * (SOURCES_PER_PATH), or if the comparisons would take more than pairs_s
 * seconds. One comparison takes about 1 ns, and the solve takes about 0.2 ns
 * for each arc and source on a CPU. So with SOURCES_PER_PATH = 20, the
 * comparisons take at most a quarter of the time of the solve. Without the
 * useless arcs, the solve can become twice as fast.
 */
static bool pairs_pay(const struct search *s, double pairs_s)
{
	uint64_t n = s->lengths->n_vertices, n_left = s->offsets[n];
	uint64_t n_pairs = atomic_load(&s->n_pairs);

	return n_pairs * SOURCES_PER_PATH < n_left * n &&
	       (double)n_pairs * PATH_S / s->n_threads < pairs_s;
}

/* Copy the remaining arcs of a block of tails, in the same order. */
static void tails_fill(void *ctx, unsigned int thread, size_t block)
{
	const struct search *s = ctx;
	const struct apsp_lengths *l = s->lengths;
	struct tails tails = block_tails(s, block);

	(void)thread;
	for (uint32_t u = tails.first; u < tails.end; u++) {
		uint64_t to = s->offsets[u];

		for (uint64_t e = l->offsets[u]; e < l->offsets[u + 1]; e++) {
			if (s->useful->useless[e])
				continue;
			s->heads[to] = l->heads[e];
			s->values[to++] =
				apsp_integers_at(l, s->integers, u, e);
		}
	}
}

static void tail_search(const struct search *s, uint32_t u, int64_t *least)
{
	uint64_t begin = s->offsets[u], end = s->offsets[u + 1];
	uint64_t arc = s->lengths->offsets[u], left = 0;
	uint8_t *useless = s->useful->useless;
	bool widest = s->integers->kind == APSP_DISTANCE_WIDTH;

	for (uint64_t e = begin; e < end; e++)
		least[s->heads[e]] = s->values[e];
	for (uint64_t e = begin; e < end; e++) {
		uint32_t v = s->heads[e];

		for (uint64_t f = s->offsets[v]; f < s->offsets[v + 1]; f++) {
			int64_t sum =
				apsp_extend(widest, s->values[e], s->values[f]);
			int64_t *held = &least[s->heads[f]];

			*held = sum < *held ? sum : *held;
		}
	}
	for (uint64_t e = begin; e < end; e++, arc++) {
		while (useless[arc])
			arc++;
		useless[arc] = least[s->heads[e]] < s->values[e];
		left += !useless[arc];
		least[s->heads[e]] = 0;
	}
	s->useful->lengths.offsets[u] = left;
}

/* Compare the remaining arcs of a block of tails with paths of two arcs. After
   the time s->until_s, do nothing. All remaining arcs of these tails then count
   as useful. */
static void tails_search(void *ctx, unsigned int thread, size_t block)
{
	const struct search *s = ctx;
	int64_t *least = s->least + (size_t)thread * s->lengths->n_vertices;
	struct tails tails = block_tails(s, block);

	if (apsp_clock_s() >= s->until_s)
		return;
	for (uint32_t u = tails.first; u < tails.end; u++)
		tail_search(s, u, least);
}

/* Turn the counts of n tails into offsets. Returns the sum of the counts. */
static uint64_t offsets_sum(
	const uint64_t *counts, uint64_t *offsets, uint32_t n)
{
	uint64_t sum = 0;

	for (uint32_t u = 0; u < n; u++) {
		uint64_t count = counts[u];

		offsets[u] = sum;
		sum += count;
	}
	offsets[n] = sum;
	return sum;
}

/* Find the remaining arcs that are longer than some path of two remaining arcs
   from the same tail to the same head. Do nothing if the search would take
   longer than it saves. */
static int pairs_compare(struct search *s, double pairs_s, struct apsp_err *err)
{
	const uint64_t *counts = s->useful->lengths.offsets;
	size_t n = s->lengths->n_vertices, n_left;
	int r;

	s->offsets = malloc((n + 1) * sizeof(*s->offsets));
	if (!s->offsets)
		return no_memory(err);
	n_left = offsets_sum(counts, s->offsets, s->lengths->n_vertices);
	if (n_left >= apsp_arc_search_most(n))
		return 0;
	r = blocks_each(s, tails_count, err);
	if (r < 0 || !pairs_pay(s, pairs_s))
		return r;
	s->until_s = apsp_clock_s() + pairs_s;
	s->heads = malloc((n_left + 1) * sizeof(*s->heads));
	s->values = malloc((n_left + 1) * sizeof(*s->values));
	s->least = calloc(s->n_threads * n, sizeof(*s->least));
	if (!s->heads || !s->values || !s->least)
		return no_memory(err);
	r = blocks_each(s, tails_fill, err);
	return r < 0 ? r : blocks_each(s, tails_search, err);
}

/* Copy the useful arcs of a block of tails, in the same order. */
static void tails_copy(void *ctx, unsigned int thread, size_t block)
{
	const struct search *s = ctx;
	const struct apsp_lengths *l = s->lengths;
	const struct apsp_lengths *out = &s->useful->lengths;
	struct tails tails = block_tails(s, block);

	(void)thread;
	for (uint32_t u = tails.first; u < tails.end; u++) {
		uint64_t to = out->offsets[u];

		for (uint64_t e = l->offsets[u]; e < l->offsets[u + 1]; e++) {
			if (s->useful->useless[e])
				continue;
			out->heads[to] = l->heads[e];
			out->lengths[to++] = l->lengths[e];
		}
	}
}

int apsp_useful_arcs_find(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers,
	const struct apsp_root_paths *paths, const struct apsp_stop *stop,
	double pairs_s, struct apsp_useful_arcs *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_useful_arcs_done) struct apsp_useful_arcs made = {0};
	APSP_AUTO(search_done)
	struct search s = {.lengths = lengths,
		.integers = integers,
		.useful = &made,
		.stop = stop,
		.n_threads = apsp_parallel_processors()};
	struct apsp_lengths *left = &made.lengths;
	size_t n = lengths->n_vertices;
	int r;

	*out = (struct apsp_useful_arcs){0};
	if (!apsp_arc_search_pays(n, integers->kind == APSP_DISTANCE_HOPS))
		return 0;
	left->n_vertices = lengths->n_vertices;
	left->offsets = malloc((n + 1) * sizeof(*left->offsets));
	made.useless = malloc(lengths->n_arcs + 1);
	if (!left->offsets || !made.useless)
		return no_memory(err);
	r = root_compare(&s, paths, err);
	if (r >= 0)
		r = pairs_compare(&s, pairs_s, err);
	if (r < 0)
		return r;
	/* free the memory of the search before memory for the copy is
	   allocated */
	search_done(&s);
	left->n_arcs =
		offsets_sum(left->offsets, left->offsets, left->n_vertices);
	if (!apsp_arc_search_copies(n, lengths->n_arcs, left->n_arcs))
		return 0;
	left->heads = malloc((left->n_arcs + 1) * sizeof(*left->heads));
	left->lengths = malloc((left->n_arcs + 1) * sizeof(*left->lengths));
	if (!left->heads || !left->lengths)
		return no_memory(err);
	r = blocks_each(&s, tails_copy, err);
	if (r < 0)
		return r;
	*out = APSP_TAKE(made);
	return 0;
}
