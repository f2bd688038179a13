/*
 * Random graphs of many kinds, and their answers from an independent oracle:
 * Dijkstra, and Bellman–Ford for negative lengths, from every vertex.
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
#include "tests/search_heap.h"

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
	double *length; /* n × n, NAN: no arc */
	/* vertex v's neighbours in ascending order, from v * n on */
	uint32_t *heads, *n_heads; /* v leads to them */
	uint32_t *tails, *n_tails; /* they lead to v */
	uint64_t n_arcs;
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
	memset(o, 0, sizeof(*o));
	o->n = n;
	o->length = malloc((size_t)n * n * sizeof(double));
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

/* Fill the lists of neighbours from the matrix. */
static inline void oracle_neighbours(struct oracle *o)
{
	size_t n = o->n;

	o->heads = malloc(n * n * sizeof(*o->heads));
	o->tails = malloc(n * n * sizeof(*o->tails));
	o->n_heads = calloc(n, sizeof(*o->n_heads));
	o->n_tails = calloc(n, sizeof(*o->n_tails));
	for (uint32_t u = 0; u < n; u++)
		for (uint32_t v = 0; v < n; v++) {
			if (isnan(o->length[u * n + v]))
				continue;
			o->heads[u * n + o->n_heads[u]++] = v;
			o->tails[v * n + o->n_tails[v]++] = u;
			o->n_arcs++;
		}
}

/* One source by Dijkstra, on (distance, hops). */
static inline void oracle_dijkstra(
	struct oracle *o, uint32_t s, struct search_heap *heap)
{
	uint32_t n = o->n, *hops = o->hops + (size_t)s * n;
	double *d = o->distance + (size_t)s * n;
	struct search_entry at = {.v = s};

	search_heap_push(heap, at);
	while (search_heap_pop(heap, &at)) {
		uint32_t u = at.v;

		if (at.d != d[u] || at.hops != hops[u])
			continue; /* a shorter path came after it */
		for (uint32_t i = 0; i < o->n_heads[u]; i++) {
			uint32_t v = o->heads[(size_t)u * n + i];
			double w = o->length[(size_t)u * n + v];

			if (!oracle_better(
				    d[u] + w, hops[u] + 1, d[v], hops[v]))
				continue;
			d[v] = d[u] + w;
			hops[v] = hops[u] + 1;
			search_heap_push(
				heap, (struct search_entry){d[v], hops[v], v});
		}
	}
}

/* Relax the arcs of u, and mark the vertices that this brings nearer. */
static inline bool oracle_relax(
	struct oracle *o, uint32_t s, uint32_t u, bool *marks)
{
	uint32_t n = o->n, *hops = o->hops + (size_t)s * n;
	double *d = o->distance + (size_t)s * n;
	bool changed = false;

	for (uint32_t i = 0; i < o->n_heads[u]; i++) {
		uint32_t v = o->heads[(size_t)u * n + i];
		double w = o->length[(size_t)u * n + v];

		if (!oracle_better(d[u] + w, hops[u] + 1, d[v], hops[v]))
			continue;
		/* reals: no endless rounds over rounding */
		if (d[v] - (d[u] + w) < 1e-12 && hops[v] <= hops[u] + 1)
			continue;
		d[v] = d[u] + w;
		hops[v] = hops[u] + 1;
		changed = marks[v] = true;
	}
	return changed;
}

/* One source in rounds, over the vertices that have come nearer. */
static inline void oracle_bellman_ford(
	struct oracle *o, uint32_t s, bool *marks)
{
	bool changed = true;

	memset(marks, 0, o->n * sizeof(*marks));
	marks[s] = true;
	for (uint32_t round = 0; changed && round < 2 * o->n; round++) {
		changed = false;
		for (uint32_t u = 0; u < o->n; u++) {
			if (!marks[u])
				continue;
			marks[u] = false;
			changed |= oracle_relax(o, s, u, marks);
		}
	}
}

/* Solve the graph from every vertex. */
static inline void oracle_run(struct oracle *o, bool negative)
{
	size_t n_cells = (size_t)o->n * o->n;
	bool *marks = malloc(o->n * sizeof(*marks));
	struct search_heap heap;

	oracle_neighbours(o);
	search_heap_init(&heap, o->n_arcs);
	o->distance = malloc(n_cells * sizeof(*o->distance));
	o->hops = malloc(n_cells * sizeof(*o->hops));
	for (uint32_t s = 0; s < o->n; s++) {
		for (uint32_t v = 0; v < o->n; v++) {
			o->distance[(size_t)s * o->n + v] = INFINITY;
			o->hops[(size_t)s * o->n + v] = UINT32_MAX;
		}
		o->distance[(size_t)s * o->n + s] = 0;
		o->hops[(size_t)s * o->n + s] = 0;
		if (negative)
			oracle_bellman_ford(o, s, marks);
		else
			oracle_dijkstra(o, s, &heap);
	}
	search_heap_done(&heap);
	free(marks);
}

static inline void oracle_done(struct oracle *o)
{
	free(o->length);
	free(o->heads);
	free(o->n_heads);
	free(o->tails);
	free(o->n_tails);
	free(o->distance);
	free(o->hops);
}

#endif
