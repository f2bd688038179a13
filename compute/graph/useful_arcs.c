/*
 * Comparing each arc with the path through one vertex, and the remaining arcs
 * with each path of two of them; see useful_arcs.h.
 */
#include "compute/graph/useful_arcs.h"

#include <stdlib.h>
#include <string.h>

#include "compute/arc_search.h"
#include "compute/parallel.h"
#include "daemon/base/auto.h"

enum {
	TAILS = 64, /* of which a thread compares the arcs at a time */
	SOURCES_PER_PATH = 20, /* see worth_a_search() */
};

/* The search, shared by the threads. */
struct search {
	const struct apsp_lengths *lengths;
	const struct apsp_integers *integers;
	struct apsp_useful_arcs *useful; /* offsets hold the number of arcs left
					    of each tail */
	int64_t *to;   /* distances from each vertex to the root */
	int64_t *from; /* distances from the root to each vertex */
	/* The arcs that the root leaves, in rows by tail. */
	uint64_t *offsets;
	uint32_t *heads;
	int64_t *values;
	/*
	 * n_vertices for each thread: the least length known from the current
	 * tail to each of its heads. Other vertices have 0, and no sum is less.
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
}

void apsp_useful_arcs_done(struct apsp_useful_arcs *useful)
{
	apsp_lengths_done(&useful->lengths);
	free(useful->useless);
	*useful = (struct apsp_useful_arcs){0};
}

static int no_memory(struct apsp_err *err)
{
	return apsp_fail(err, APSP_ENOMEM, "look for arcs that are too long");
}

/* Call body for each tail, TAILS of them at a time. */
static void tails_each(struct search *s,
	void (*body)(void *ctx, unsigned int thread, size_t i),
	unsigned int width)
{
	size_t n = s->lengths->n_vertices;

	apsp_parallel_for((n + TAILS - 1) / TAILS, width, body, s);
}

static void tails_compare(void *ctx, unsigned int thread, size_t i)
{
	const struct search *s = ctx;
	const struct apsp_lengths *l = s->lengths;

	(void)thread;
	for (uint32_t u = (uint32_t)i * TAILS, end = u + TAILS;
		u < end && u < l->n_vertices; u++) {
		uint64_t left = 0;

		for (uint64_t e = l->offsets[u]; e < l->offsets[u + 1]; e++) {
			int64_t length = apsp_integers_at(l, s->integers, u, e);
			/* Distances are from 0 to INT64_MAX (no path), so the
			   difference does not overflow. */
			bool longer = length - s->to[u] > s->from[l->heads[e]];

			s->useful->useless[e] = longer;
			left += !longer;
		}
		s->useful->lengths.offsets[u] = left;
	}
}

/* Leave out the arcs that are longer than the path through the root. */
static int root_compare(struct search *s, const struct apsp_root_paths *paths,
	struct apsp_err *err)
{
	uint32_t n = s->lengths->n_vertices;

	s->to = malloc(n * sizeof(*s->to));
	s->from = malloc(n * sizeof(*s->from));
	if (!s->to || !s->from)
		return no_memory(err);
	for (uint32_t v = 0; v < n; v++) {
		s->to[v] = apsp_root_paths_length(
			paths, &paths->to, v, s->integers);
		s->from[v] = apsp_root_paths_length(
			paths, &paths->from, v, s->integers);
	}
	tails_each(s, tails_compare, apsp_parallel_width());
	return 0;
}

/*
 * Find where the remaining arcs of each tail begin. Returns whether searching
 * their paths of two arcs pays. The search takes about 1 ns for each such path;
 * the solve takes about 0.2 ns for each arc and source, and may become twice as
 * fast.
 */
static bool worth_a_search(struct search *s)
{
	const struct apsp_lengths *l = s->lengths;
	const uint64_t *counts = s->useful->lengths.offsets;
	uint64_t left = 0, paths = 0;

	for (uint32_t u = 0; u < l->n_vertices; u++) {
		s->offsets[u] = left;
		left += counts[u];
	}
	s->offsets[l->n_vertices] = left;
	if (left >= apsp_arc_search_most(l->n_vertices))
		return false;
	for (uint64_t e = 0; e < l->n_arcs; e++)
		if (!s->useful->useless[e])
			paths += counts[l->heads[e]];
	return paths * SOURCES_PER_PATH < left * l->n_vertices;
}

/* Copy the remaining arcs in their order. */
static void tails_fill(void *ctx, unsigned int thread, size_t i)
{
	const struct search *s = ctx;
	const struct apsp_lengths *l = s->lengths;

	(void)thread;
	for (uint32_t u = (uint32_t)i * TAILS, end = u + TAILS;
		u < end && u < l->n_vertices; u++) {
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

	for (uint64_t e = begin; e < end; e++)
		least[s->heads[e]] = s->values[e];
	for (uint64_t e = begin; e < end; e++) {
		uint32_t v = s->heads[e];

		for (uint64_t f = s->offsets[v]; f < s->offsets[v + 1]; f++) {
			int64_t sum = s->values[e] + s->values[f];
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

static void tails_search(void *ctx, unsigned int thread, size_t i)
{
	const struct search *s = ctx;
	uint32_t n = s->lengths->n_vertices;
	int64_t *least = s->least + (size_t)thread * n;

	for (uint32_t u = (uint32_t)i * TAILS, end = u + TAILS;
		u < end && u < n; u++)
		tail_search(s, u, least);
}

/* Leave out the arcs that are longer than a path of two arcs, if that pays. */
static int pairs_compare(struct search *s, struct apsp_err *err)
{
	unsigned int width = apsp_parallel_width();
	size_t n = s->lengths->n_vertices, left;

	s->offsets = malloc((n + 1) * sizeof(*s->offsets));
	if (!s->offsets)
		return no_memory(err);
	if (!worth_a_search(s))
		return 0;
	left = s->offsets[n];
	s->heads = malloc((left + 1) * sizeof(*s->heads));
	s->values = malloc((left + 1) * sizeof(*s->values));
	s->least = calloc(width * n, sizeof(*s->least));
	if (!s->heads || !s->values || !s->least)
		return no_memory(err);
	tails_each(s, tails_fill, width);
	tails_each(s, tails_search, width);
	return 0;
}

/* Fill the flags, and count the arcs left of each tail in the offsets. */
static int useless_find(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers,
	const struct apsp_root_paths *paths, struct apsp_useful_arcs *useful,
	struct apsp_err *err)
{
	APSP_AUTO(search_done)
	struct search s = {
		.lengths = lengths, .integers = integers, .useful = useful};
	int r = root_compare(&s, paths, err);

	return r < 0 ? r : pairs_compare(&s, err);
}

/* Where useful arcs are copied from and to, shared by the threads. */
struct copy {
	const struct apsp_lengths *lengths;
	struct apsp_useful_arcs *useful;
};

static void tails_copy(void *ctx, unsigned int thread, size_t i)
{
	const struct copy *copy = ctx;
	const struct apsp_lengths *l = copy->lengths;
	const struct apsp_lengths *out = &copy->useful->lengths;

	(void)thread;
	for (uint32_t u = (uint32_t)i * TAILS, end = u + TAILS;
		u < end && u < l->n_vertices; u++) {
		uint64_t to = out->offsets[u];

		for (uint64_t e = l->offsets[u]; e < l->offsets[u + 1]; e++) {
			if (copy->useful->useless[e])
				continue;
			out->heads[to] = l->heads[e];
			out->lengths[to++] = l->lengths[e];
		}
	}
}

/* Turn the counts in the offsets into offsets; return the sum. */
static uint64_t offsets_sum(uint64_t *offsets, uint32_t n)
{
	uint64_t sum = 0;

	for (uint32_t u = 0; u < n; u++) {
		uint64_t count = offsets[u];

		offsets[u] = sum;
		sum += count;
	}
	offsets[n] = sum;
	return sum;
}

int apsp_useful_arcs_find(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers,
	const struct apsp_root_paths *paths, struct apsp_useful_arcs *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_useful_arcs_done) struct apsp_useful_arcs made = {0};
	const struct copy copy = {lengths, &made};
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
	r = useless_find(lengths, integers, paths, &made, err);
	if (r < 0)
		return r;
	left->n_arcs = offsets_sum(left->offsets, left->n_vertices);
	if (!apsp_arc_search_copies(n, lengths->n_arcs, left->n_arcs))
		return 0;
	left->heads = malloc((left->n_arcs + 1) * sizeof(*left->heads));
	left->lengths = malloc((left->n_arcs + 1) * sizeof(*left->lengths));
	if (!left->heads || !left->lengths)
		return no_memory(err);
	apsp_parallel_for((n + TAILS - 1) / TAILS, apsp_parallel_width(),
		tails_copy, (void *)&copy);
	*out = APSP_TAKE(made);
	return 0;
}
