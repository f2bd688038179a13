/*
 * Comparing each arc with the path through one vertex, and the remaining arcs
 * with each path of two of them; see useless_arcs.h.
 */
#include "compute/graph/useless_arcs.h"

#include <stdlib.h>
#include <string.h>

#include "compute/parallel.h"
#include "daemon/base/auto.h"

enum {
	TAILS = 64,	       /* searched by a thread at a time */
	SOURCES_PER_PATH = 20, /* see worth_a_search() */
};

/* Comparing arcs with paths through the root, shared by the threads. */
struct detour {
	const struct apsp_lengths *lengths;
	const struct apsp_integers *integers;
	int64_t *to;   /* distances from each vertex to the root */
	int64_t *from; /* distances from the root to each vertex */
	uint8_t *longer;
};

/* Comparing arcs with paths of two arcs, shared by the threads. */
struct search {
	const struct apsp_lengths *lengths;
	uint64_t *offsets; /* of the remaining arcs, a row for each tail */
	uint32_t *heads;
	int64_t *values;
	/*
	 * n_vertices for each thread: the least length known from the current
	 * tail to each of its heads. Other vertices have 0, and no sum is less.
	 */
	int64_t *least;
	uint8_t *longer; /* a flag for each arc of the graph */
};

static void search_done(struct search *s)
{
	free(s->offsets);
	free(s->heads);
	free(s->values);
	free(s->least);
}

static int no_memory(struct apsp_err *err)
{
	return apsp_fail(err, APSP_ENOMEM,
		"no memory to look for arcs that are too long");
}

static void detour_done(struct detour *d)
{
	free(d->to);
	free(d->from);
}

static int detour_init(struct detour *d, const struct apsp_root_paths *paths,
	struct apsp_err *err)
{
	uint32_t n = d->lengths->n_vertices;

	d->to = malloc(((size_t)n + 1) * sizeof(*d->to));
	d->from = malloc(((size_t)n + 1) * sizeof(*d->from));
	if (!d->to || !d->from)
		return no_memory(err);
	for (uint32_t v = 0; v < n; v++) {
		d->to[v] = apsp_root_paths_length(
			paths, &paths->to, v, d->integers);
		d->from[v] = apsp_root_paths_length(
			paths, &paths->from, v, d->integers);
	}
	return 0;
}

static void tails_compare(void *ctx, unsigned int thread, size_t i)
{
	const struct detour *d = ctx;
	const struct apsp_lengths *l = d->lengths;

	(void)thread;
	for (uint32_t u = (uint32_t)i * TAILS, end = u + TAILS;
		u < end && u < l->n_vertices; u++)
		for (uint64_t e = l->offsets[u]; e < l->offsets[u + 1]; e++) {
			int64_t length = apsp_integers_at(l, d->integers, u, e);

			/* Distances are from 0 to INT64_MAX (no path), so the
			   difference does not overflow. */
			d->longer[e] = length - d->to[u] > d->from[l->heads[e]];
		}
}

/* Set longer (n_arcs bytes) to whether the path through the root is shorter
   than the arc. */
static int find_by_root(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers,
	const struct apsp_root_paths *paths, uint8_t *longer,
	struct apsp_err *err)
{
	APSP_AUTO(detour_done)
	struct detour detour = {
		.lengths = lengths, .integers = integers, .longer = longer};
	size_t n = lengths->n_vertices;
	int r = detour_init(&detour, paths, err);

	if (r < 0)
		return r;
	apsp_parallel_for((n + TAILS - 1) / TAILS, apsp_parallel_width(),
		tails_compare, &detour);
	return 0;
}

/* Find where the remaining arcs of each tail begin. */
static int rows_find(struct search *s, struct apsp_err *err)
{
	uint32_t n = s->lengths->n_vertices;
	const uint64_t *all = s->lengths->offsets;
	uint64_t left = 0;

	s->offsets = malloc(((size_t)n + 1) * sizeof(*s->offsets));
	if (!s->offsets)
		return no_memory(err);
	for (uint32_t u = 0; u < n; u++) {
		s->offsets[u] = left;
		for (uint64_t e = all[u]; e < all[u + 1]; e++)
			left += !s->longer[e];
	}
	s->offsets[n] = left;
	return 0;
}

/*
 * Whether searching the paths of two arcs pays. The search takes about 1 ns for
 * each such path; the solve takes about 0.2 ns for each arc and source, and may
 * become twice as fast.
 */
static bool worth_a_search(const struct search *s)
{
	const struct apsp_lengths *l = s->lengths;
	uint64_t left = s->offsets[l->n_vertices], paths = 0;

	for (uint64_t e = 0; e < l->n_arcs; e++) {
		uint32_t v = l->heads[e];

		if (!s->longer[e])
			paths += s->offsets[v + 1] - s->offsets[v];
	}
	return paths * SOURCES_PER_PATH < left * l->n_vertices;
}

/* Copy the remaining arcs in their order. */
static int rows_fill(struct search *s, const struct apsp_integers *integers,
	struct apsp_err *err)
{
	const struct apsp_lengths *l = s->lengths;
	uint64_t left = s->offsets[l->n_vertices], to = 0;

	s->heads = malloc((left + 1) * sizeof(*s->heads));
	s->values = malloc((left + 1) * sizeof(*s->values));
	if (!s->heads || !s->values)
		return no_memory(err);
	for (uint32_t u = 0; u < l->n_vertices; u++)
		for (uint64_t e = l->offsets[u]; e < l->offsets[u + 1]; e++) {
			if (s->longer[e])
				continue;
			s->heads[to] = l->heads[e];
			s->values[to++] = apsp_integers_at(l, integers, u, e);
		}
	return 0;
}

static void tail_search(const struct search *s, uint32_t u, int64_t *least)
{
	uint64_t begin = s->offsets[u], end = s->offsets[u + 1];
	uint64_t arc = s->lengths->offsets[u];

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
		while (s->longer[arc])
			arc++;
		s->longer[arc] = least[s->heads[e]] < s->values[e];
		least[s->heads[e]] = 0;
	}
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

int apsp_useless_arcs_find(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers,
	const struct apsp_root_paths *paths, uint8_t *out_longer,
	struct apsp_err *err)
{
	APSP_AUTO(search_done)
	struct search s = {.lengths = lengths, .longer = out_longer};
	unsigned int width = apsp_parallel_width();
	size_t n = lengths->n_vertices;
	int r = 0;

	if (paths)
		r = find_by_root(lengths, integers, paths, out_longer, err);
	else
		memset(out_longer, 0, lengths->n_arcs);
	if (r >= 0)
		r = rows_find(&s, err);
	if (r < 0 || !worth_a_search(&s))
		return r;
	r = rows_fill(&s, integers, err);
	if (r < 0)
		return r;
	s.least = calloc(width * n + 1, sizeof(*s.least));
	if (!s.least)
		return no_memory(err);
	apsp_parallel_for((n + TAILS - 1) / TAILS, width, tails_search, &s);
	return 0;
}
