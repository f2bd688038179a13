/*
 * Random graphs for path=widest, and their widths from an independent oracle:
 * Dijkstra's variant from every vertex, over the weights themselves.
 */
#ifndef APSP_TESTS_WIDEST_ORACLE_H
#define APSP_TESTS_WIDEST_ORACLE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/graph_fixture.h"
#include "tests/random.h"

enum widest_weights {
	WIDEST_EQUAL, /* one rank */
	WIDEST_FEW,   /* 1 to 3: many pairs of equal width */
	WIDEST_COUNTS,
	WIDEST_REAL,
	/* All arcs to vertex 0 are the narrowest ones: with many arcs, its
	   ranks need 32 bits. */
	WIDEST_TAIL,
	N_WIDEST_WEIGHTS,
};

enum widest_density {
	WIDEST_EMPTY,
	WIDEST_SPARSE,
	WIDEST_FULL,
	/* a chain both ways, whose vertices are in random order */
	WIDEST_CHAIN,
	N_WIDEST_DENSITIES,
};

struct widest_oracle {
	uint32_t n;
	double *weight; /* n × n merged weights; 0: no arc */
	double *width;	/* n × n; 0: no path; INFINITY: a vertex and itself */
};

static inline double widest_weight(
	enum widest_weights kind, uint64_t *state, uint32_t head)
{
	switch (kind) {
	case WIDEST_EQUAL:
		return 7;
	case WIDEST_FEW:
		return 1 + random_below(state, 3);
	case WIDEST_COUNTS:
		return 1 + random_below(state, 1000);
	case WIDEST_TAIL:
		return (head > 0 ? 2 : 0.5) + random_unit(state);
	default:
		return pow(10, 9 * random_unit(state) - 4);
	}
}

static inline void widest_arc(struct widest_oracle *o, struct graph_fixture *g,
	uint32_t u, uint32_t v, double w)
{
	/* plain sums of such weights are exact */
	w = round(w * 0x1p30) * 0x1p-30;
	graph_fixture_add(g, u, v, w);
	if (u != v)
		o->weight[(size_t)u * o->n + v] += w;
}

/* Make a graph of n vertices under path=widest. The caller ends both. */
static inline void widest_graph(struct widest_oracle *o,
	struct graph_fixture *g, uint32_t n, enum widest_weights kind,
	enum widest_density density, uint64_t *state)
{
	uint32_t *order = malloc(n * sizeof(*order));

	graph_fixture_init(g, n);
	g->graph.profile.path = APSP_PATH_WIDEST;
	g->graph.profile.tables = APSP_TABLES_DISTANCE;
	*o = (struct widest_oracle){.n = n,
		.weight = calloc((size_t)n * n, sizeof(double)),
		.width = calloc((size_t)n * n, sizeof(double))};
	for (uint32_t v = 0; v < n; v++) {
		uint32_t other = random_below(state, v + 1);

		order[v] = order[other];
		order[other] = v;
	}
	for (uint32_t u = 0; u < n && density == WIDEST_FULL; u++)
		for (uint32_t v = 0; v < n; v++)
			widest_arc(o, g, u, v, widest_weight(kind, state, v));
	for (uint32_t e = 0; e < 3 * n && density == WIDEST_SPARSE; e++) {
		uint32_t u = random_below(state, n), v = random_below(state, n);

		/* random ends also give self-loops, and duplicates, whose
		   weights are added */
		widest_arc(o, g, u, v, widest_weight(kind, state, v));
	}
	for (uint32_t e = 0; e + 1 < n && density == WIDEST_CHAIN; e++) {
		uint32_t u = order[e], v = order[e + 1];

		widest_arc(o, g, u, v, widest_weight(kind, state, v));
		widest_arc(o, g, v, u, widest_weight(kind, state, u));
	}
	free(order);
}

/* Fill o->width: settle the widest vertex that is left, n times a source. */
static inline void widest_run(struct widest_oracle *o)
{
	bool *settled = malloc(o->n * sizeof(*settled));

	for (uint32_t s = 0; s < o->n; s++) {
		double *width = o->width + (size_t)s * o->n;

		memset(settled, 0, o->n * sizeof(*settled));
		width[s] = INFINITY;
		for (;;) {
			uint32_t u = UINT32_MAX;

			for (uint32_t v = 0; v < o->n; v++)
				if (!settled[v] && width[v] > 0 &&
					(u == UINT32_MAX ||
						width[v] > width[u]))
					u = v;
			if (u == UINT32_MAX)
				break;
			settled[u] = true;
			for (uint32_t v = 0; v < o->n; v++)
				width[v] = fmax(width[v],
					fmin(width[u],
						o->weight[(size_t)u * o->n +
							  v]));
		}
	}
	free(settled);
}

static inline void widest_oracle_done(struct widest_oracle *o)
{
	free(o->weight);
	free(o->width);
}

#endif
