/*
 * Random graphs of many kinds, and their answers from an independent oracle:
 * Dijkstra over a dense matrix, Bellman–Ford for negative lengths, from every
 * vertex.
 */
#ifndef APSP_TESTS_ORACLE_H
#define APSP_TESTS_ORACLE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/graph_fixture.h"
#include "tests/random.h"

enum weights {
	SMALL,
	ZEROS,	  /* arcs and cycles of length 0 */
	NEGATIVE, /* no negative cycle, cycles of length 0 */
	PAST_16,
	PAST_32,
	UNIT,
	REAL,
	NINE_DECADES,
	REAL_ZEROS,
	REAL_NEGATIVE,
	N_WEIGHTS,
};

enum density {
	EMPTY,
	SPARSE,
	FULL,
	N_DENSITIES,
};

/* The oracle's answer: lexicographic (distance, hops). */
struct oracle {
	uint32_t n;
	double *length;	  /* n × n, NAN: no arc */
	double *distance; /* n × n, INFINITY: no path */
	uint32_t *hops;
};

static inline double oracle_weight(enum weights kind, uint64_t *state,
	const int *potential, uint32_t u, uint32_t v)
{
	double shift = potential[u] - potential[v];

	switch (kind) {
	case SMALL:
		return 1 + random_below(state, 10);
	case ZEROS:
		return random_below(state, 3);
	case NEGATIVE:
		return random_below(state, 4) + shift;
	case PAST_16:
		return 1 + random_below(state, 60000);
	case PAST_32:
		return (double)(1 + (random_u64(state) >> 25));
	case UNIT:
		return 1;
	case REAL:
		return 0.1 + random_unit(state);
	case NINE_DECADES:
		return pow(10, 9 * random_unit(state) - 4);
	case REAL_ZEROS:
		return random_below(state, 3) ? random_unit(state) : 0;
	case REAL_NEGATIVE:
		return random_unit(state) + 0.001 + shift;
	case N_WEIGHTS:
		break;
	}
	return 0;
}

static inline void oracle_arc(struct oracle *o, struct graph_fixture *g,
	uint32_t u, uint32_t v, double w)
{
	double *held = &o->length[(size_t)u * o->n + v];

	graph_fixture_add(g, u, v, w);
	if (u != v && !(*held <= w))
		*held = w;
}

/*
 * Make a graph, whose lengths o keeps, as a dense matrix. The caller ends both.
 */
static inline void oracle_graph(struct oracle *o, struct graph_fixture *g,
	uint32_t n, enum weights kind, enum density density, uint64_t *state)
{
	int *potential = malloc(n * sizeof(*potential));

	graph_fixture_init(g, n);
	o->n = n;
	o->length = malloc((size_t)n * n * sizeof(double));
	o->distance = malloc((size_t)n * n * sizeof(double));
	o->hops = malloc((size_t)n * n * sizeof(uint32_t));
	for (size_t c = 0; c < (size_t)n * n; c++)
		o->length[c] = NAN;
	for (uint32_t v = 0; v < n; v++)
		potential[v] = (int)random_below(state, 20);
	for (uint32_t u = 0; u < n && density == FULL; u++)
		for (uint32_t v = 0; v < n; v++)
			if (u != v || kind < NEGATIVE)
				oracle_arc(o, g, u, v,
					oracle_weight(
						kind, state, potential, u, v));
	for (uint32_t e = 0; e < 3 * n && density == SPARSE; e++) {
		uint32_t u = random_below(state, n), v = random_below(state, n);

		/* duplicates and self-loops come of themselves */
		if (u != v || (kind != NEGATIVE && kind != REAL_NEGATIVE))
			oracle_arc(o, g, u, v,
				oracle_weight(kind, state, potential, u, v));
	}
	free(potential);
}

static inline bool oracle_better(
	double d, uint32_t h, double old_d, uint32_t old_h)
{
	return d < old_d || (d == old_d && h < old_h);
}

/* One source by Dijkstra without a heap, on (distance, hops). */
static inline void oracle_dijkstra(struct oracle *o, uint32_t s, bool *settled)
{
	uint32_t n = o->n, *hops = o->hops + (size_t)s * n;
	double *d = o->distance + (size_t)s * n;

	memset(settled, 0, n * sizeof(*settled));
	for (;;) {
		uint32_t u = UINT32_MAX;

		for (uint32_t v = 0; v < n; v++)
			if (!settled[v] && !isinf(d[v]) &&
				(u == UINT32_MAX || oracle_better(d[v], hops[v],
							    d[u], hops[u])))
				u = v;
		if (u == UINT32_MAX)
			return;
		settled[u] = true;
		for (uint32_t v = 0; v < n; v++) {
			double w = o->length[(size_t)u * n + v];

			if (!isnan(w) && oracle_better(d[u] + w, hops[u] + 1,
						 d[v], hops[v])) {
				d[v] = d[u] + w;
				hops[v] = hops[u] + 1;
			}
		}
	}
}

static inline void oracle_bellman_ford(struct oracle *o, uint32_t s)
{
	uint32_t n = o->n, *hops = o->hops + (size_t)s * n;
	double *d = o->distance + (size_t)s * n;
	bool changed = true;

	for (uint32_t round = 0; changed && round < 2 * n; round++) {
		changed = false;
		for (uint32_t u = 0; u < n; u++)
			for (uint32_t v = 0; v < n && !isinf(d[u]); v++) {
				double w = o->length[(size_t)u * n + v];

				if (isnan(w) ||
					!oracle_better(d[u] + w, hops[u] + 1,
						d[v], hops[v]))
					continue;
				/* reals: no endless rounds over rounding */
				if (d[v] - (d[u] + w) < 1e-12 &&
					hops[v] <= hops[u] + 1)
					continue;
				d[v] = d[u] + w;
				hops[v] = hops[u] + 1;
				changed = true;
			}
	}
}

/* Solve the graph from every vertex. */
static inline void oracle_run(struct oracle *o, bool negative)
{
	bool *settled = malloc(o->n * sizeof(*settled));

	for (uint32_t s = 0; s < o->n; s++) {
		for (uint32_t v = 0; v < o->n; v++) {
			o->distance[(size_t)s * o->n + v] = INFINITY;
			o->hops[(size_t)s * o->n + v] = UINT32_MAX;
		}
		o->distance[(size_t)s * o->n + s] = 0;
		o->hops[(size_t)s * o->n + s] = 0;
		if (negative)
			oracle_bellman_ford(o, s);
		else
			oracle_dijkstra(o, s, settled);
	}
	free(settled);
}

static inline void oracle_done(struct oracle *o)
{
	free(o->length);
	free(o->distance);
	free(o->hops);
}

#endif
