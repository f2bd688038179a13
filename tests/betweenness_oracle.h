/*
 * Betweenness by its definition, of small graphs with whole lengths: for each
 * pair, the paths through a vertex are the paths to it times the paths from it,
 * in long doubles.
 */
#ifndef APSP_TESTS_BETWEENNESS_ORACLE_H
#define APSP_TESTS_BETWEENNESS_ORACLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "compute/graph/lengths.h"

#define BETWEEN_NONE (1L << 30) /* no path */

struct graph {
	uint32_t n;
	struct apsp_lengths lengths;
	long *whole;	/* of each arc */
	long *distance; /* n × n */
	long double *expected;
};

static inline struct graph graph_new(uint32_t n, uint64_t m)
{
	struct graph g = {.n = n};

	g.lengths = (struct apsp_lengths){.n_vertices = n,
		.offsets = calloc(n + 1, sizeof(uint64_t)),
		.heads = calloc(m + 1, sizeof(uint32_t)),
		.lengths = calloc(m + 1, sizeof(double))};
	g.whole = calloc(m + 1, sizeof(*g.whole));
	g.distance = calloc((size_t)n * n, sizeof(*g.distance));
	g.expected = calloc(n, sizeof(*g.expected));
	return g;
}

static inline void graph_free(struct graph *g)
{
	free(g->lengths.offsets);
	free(g->lengths.heads);
	free(g->lengths.lengths);
	free(g->whole);
	free(g->distance);
	free(g->expected);
}

/* The next arc; tails ascend. */
static inline void arc_add(
	struct graph *g, uint32_t tail, uint32_t head, long length)
{
	uint64_t a = g->lengths.n_arcs++;

	g->lengths.heads[a] = head;
	g->whole[a] = length;
	for (uint32_t v = tail + 1; v <= g->n; v++)
		g->lengths.offsets[v] = g->lengths.n_arcs;
}

static inline void distances_find(struct graph *g)
{
	const struct apsp_lengths *l = &g->lengths;

	for (uint32_t s = 0; s < g->n; s++) {
		long *d = g->distance + (size_t)s * g->n;
		bool changed = true;

		for (uint32_t v = 0; v < g->n; v++)
			d[v] = v == s ? 0 : BETWEEN_NONE;
		while (changed) {
			changed = false;
			for (uint32_t u = 0; u < g->n; u++)
				for (uint64_t a = l->offsets[u];
					a < l->offsets[u + 1]; a++)
					if (d[u] != BETWEEN_NONE &&
						d[u] + g->whole[a] <
							d[l->heads[a]]) {
						d[l->heads[a]] =
							d[u] + g->whole[a];
						changed = true;
					}
		}
	}
}

/* Numbers of shortest paths from s, by counting until nothing changes. */
static inline void paths_count(
	const struct graph *g, uint32_t s, long double *paths)
{
	const struct apsp_lengths *l = &g->lengths;
	const long *d = g->distance + (size_t)s * g->n;
	long double *next = calloc(g->n, sizeof(*next));
	bool changed = true;

	memset(paths, 0, g->n * sizeof(*paths));
	while (changed) {
		memset(next, 0, g->n * sizeof(*next));
		next[s] = 1;
		for (uint32_t u = 0; u < g->n; u++)
			for (uint64_t a = l->offsets[u]; a < l->offsets[u + 1];
				a++)
				if (d[u] != BETWEEN_NONE &&
					d[u] + g->whole[a] == d[l->heads[a]])
					next[l->heads[a]] += paths[u];
		changed = false;
		for (uint32_t v = 0; v < g->n; v++) {
			changed |= next[v] != paths[v];
			paths[v] = next[v];
		}
	}
	free(next);
}

static inline void expected_find(struct graph *g)
{
	size_t n = g->n;
	long double *paths = calloc(n * n, sizeof(*paths));

	for (uint32_t s = 0; s < n; s++)
		paths_count(g, s, paths + s * n);
	for (size_t s = 0; s < n; s++)
		for (size_t t = 0; t < n; t++)
			for (size_t v = 0; v < n; v++) {
				long via = g->distance[s * n + v];

				if (s == t || v == s || v == t ||
					g->distance[s * n + t] >=
						BETWEEN_NONE ||
					via + g->distance[v * n + t] !=
						g->distance[s * n + t])
					continue;
				g->expected[v] += paths[s * n + v] *
						  paths[v * n + t] /
						  paths[s * n + t];
			}
	free(paths);
}

#endif
