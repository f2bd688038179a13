/*
 * Graphs of which closures have a hard time, for tests. Lengths have no values.
 */
#ifndef APSP_TESTS_CLOSURE_SHAPES_H
#define APSP_TESTS_CLOSURE_SHAPES_H

#include <stdint.h>
#include <stdlib.h>

#include "compute/graph/lengths.h"
#include "tests/random.h"

enum shape {
	RANDOM,	   /* self-loops and duplicates come up by chance */
	DAG,	   /* in a hidden order */
	DENSE_DAG, /* half of all possible arcs */
	PATH,	   /* the deepest possible */
	RINGS,	   /* components of many vertices, one leading to the next */
	BOW_TIE,   /* all to all through one large component */
	N_SHAPES,
};

/* Arcs while they are being collected. */
struct arcs {
	uint32_t *tails;
	uint32_t *heads;
	uint64_t n;
};

static inline void arc_add(struct arcs *arcs, uint32_t tail, uint32_t head)
{
	arcs->tails[arcs->n] = tail;
	arcs->heads[arcs->n++] = head;
}

static inline void shape_random(struct arcs *arcs, enum shape shape, uint32_t n,
	const uint32_t *hidden, uint64_t *state)
{
	for (uint32_t a = 0; a < 2 * n; a++) {
		uint32_t u = random_below(state, n), v = random_below(state, n);

		if (shape == DAG && u > v)
			arc_add(arcs, hidden[v], hidden[u]);
		else if (shape == RANDOM || u < v)
			arc_add(arcs, hidden[u], hidden[v]);
	}
}

static inline void shape_bow_tie(
	struct arcs *arcs, uint32_t n, const uint32_t *hidden)
{
	uint32_t third = n / 3;

	for (uint32_t v = third; v < 2 * third; v++)
		arc_add(arcs, hidden[v],
			hidden[v + 1 < 2 * third ? v + 1 : third]);
	for (uint32_t v = 0; v < third; v++) {
		arc_add(arcs, hidden[v], hidden[third + v]);
		arc_add(arcs, hidden[third + v], hidden[2 * third + v]);
	}
}

static inline void shape_make(struct arcs *arcs, enum shape shape, uint32_t n,
	const uint32_t *hidden, uint64_t *state)
{
	if (shape == RANDOM || shape == DAG)
		shape_random(arcs, shape, n, hidden, state);
	if (shape == BOW_TIE)
		shape_bow_tie(arcs, n, hidden);
	for (uint32_t u = 0; u < n && shape == DENSE_DAG; u++)
		for (uint32_t v = u + 1; v < n; v++)
			if (random_below(state, 2))
				arc_add(arcs, hidden[u], hidden[v]);
	for (uint32_t v = 0; v + 1 < n; v++) {
		if (shape == PATH)
			arc_add(arcs, hidden[v], hidden[v + 1]);
		if (shape == RINGS && v % 41 == 40)
			arc_add(arcs, hidden[v], hidden[v - 40]);
		if (shape == RINGS && random_below(state, 10))
			arc_add(arcs, hidden[v], hidden[v + 1]);
	}
}

static inline struct apsp_lengths rows_of(const struct arcs *arcs, uint32_t n)
{
	struct apsp_lengths g = {.n_vertices = n, .n_arcs = arcs->n};

	g.offsets = calloc((size_t)n + 2, sizeof(*g.offsets));
	g.heads = malloc((arcs->n + 1) * sizeof(*g.heads));
	for (uint64_t a = 0; a < arcs->n; a++)
		g.offsets[arcs->tails[a] + 2]++;
	for (uint32_t v = 0; v < n; v++)
		g.offsets[v + 2] += g.offsets[v + 1];
	for (uint64_t a = 0; a < arcs->n; a++)
		g.heads[g.offsets[arcs->tails[a] + 1]++] = arcs->heads[a];
	return g;
}

static inline struct apsp_lengths graph_make(
	enum shape shape, uint32_t n, uint64_t seed)
{
	size_t most = (size_t)n * n / 2 + 3 * (size_t)n;
	struct apsp_lengths g;
	struct arcs arcs = {
		.tails = malloc(most * sizeof(uint32_t)),
		.heads = malloc(most * sizeof(uint32_t)),
	};
	uint32_t *hidden = malloc(n * sizeof(*hidden));

	for (uint32_t i = 0; i < n; i++) {
		uint32_t j = random_below(&seed, i + 1);

		hidden[i] = hidden[j];
		hidden[j] = i;
	}
	shape_make(&arcs, shape, n, hidden, &seed);
	g = rows_of(&arcs, n);
	free(hidden);
	free(arcs.tails);
	free(arcs.heads);
	return g;
}

static inline void graph_free(struct apsp_lengths *g)
{
	free(g->offsets);
	free(g->heads);
}

#endif
