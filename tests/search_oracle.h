/*
 * What searches must find in graphs of a few vertices, by listing every path:
 * random graphs of every kind of length, walks one by one, exact sums.
 */
#ifndef APSP_TESTS_SEARCH_ORACLE_H
#define APSP_TESTS_SEARCH_ORACLE_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/random.h"
#include "tests/search_fixture.h"

enum {
	ORACLE_N = 8, /* vertices at most */
	ORACLE_PATHS = 4096,
	ORACLE_ARCS = 16, /* of a walk, at most */
};

/* Holds any sum of a few doubles whose exponents are close. */
__extension__ typedef __float128 oracle_sum;

struct oracle_path {
	oracle_sum sum;
	uint32_t n_arcs;
	uint32_t vertices[ORACLE_ARCS + 1];
};

enum oracle_kind {
	ORACLE_HOPS,
	ORACLE_WHOLE,	 /* 0 to 3: many ties, cycles of length 0 */
	ORACLE_NEGATIVE, /* … moved by potentials */
	ORACLE_REAL,	 /* tenths, 0 among them */
	ORACLE_POSITIVE, /* sevenths, none 0 */
	ORACLE_REAL_NEGATIVE,
	ORACLE_KINDS,
};

struct oracle {
	uint32_t n;
	bool arc[ORACLE_N][ORACLE_N];
	double length[ORACLE_N][ORACLE_N];
	bool avoided[ORACLE_N][ORACLE_N]; /* arcs */
	bool avoided_vertex[ORACLE_N];
	/* the question: */
	enum oracle_kind kind;
	uint32_t from, to;
	uint64_t *seed;
	/* listed: */
	size_t n_paths;
	struct oracle_path paths[ORACLE_PATHS];
};

static inline double oracle_length(
	enum oracle_kind kind, uint64_t *seed, int potential)
{
	int whole = (int)random_below(seed, 4);

	switch (kind) {
	case ORACLE_HOPS:
		return 1;
	case ORACLE_WHOLE:
		return whole;
	case ORACLE_NEGATIVE:
		return whole + potential;
	case ORACLE_REAL:
		return whole * 0.1;
	case ORACLE_POSITIVE:
		return (1 + whole) / 7.0;
	default:
		return whole * 0.25 + potential + 0.125;
	}
}

/*
 * A random graph and its tables. False: these lengths have a negative cycle,
 * and nothing is left to end.
 */
static inline bool oracle_open(struct oracle *o, struct search_fixture *f,
	enum oracle_kind kind, uint64_t *seed)
{
	int potentials[ORACLE_N];
	uint32_t dense = 1 + random_below(seed, 3);

	memset(o, 0, sizeof(*o));
	o->kind = kind;
	o->seed = seed;
	o->n = 4 + random_below(seed, ORACLE_N - 3);
	search_fixture_init(f, o->n);
	for (uint32_t v = 0; v < o->n; v++)
		potentials[v] = (int)random_below(seed, 5);
	for (uint32_t i = 0; i < o->n; i++)
		for (uint32_t j = 0; j < o->n; j++) {
			if (i == j || random_below(seed, 4) > dense)
				continue;
			o->arc[i][j] = true;
			o->length[i][j] = oracle_length(
				kind, seed, potentials[j] - potentials[i]);
			graph_fixture_add(&f->graph, i, j, o->length[i][j]);
		}
	if (search_fixture_open(f,
		    kind == ORACLE_HOPS ? APSP_TRANSFORM_HOPS
					: APSP_TRANSFORM_NONE,
		    random_below(seed, 2) ? APSP_PRECISION_FLOAT32
					  : APSP_PRECISION_FLOAT64))
		return true;
	search_fixture_done(f);
	return false;
}

/* Avoid one vertex that is no end, or one arc, or both. */
static inline void oracle_avoid(struct oracle *o, struct apsp_avoided *avoided)
{
	uint32_t v = random_below(o->seed, o->n),
		 i = random_below(o->seed, o->n),
		 j = random_below(o->seed, o->n);

	if (v != o->from && v != o->to) {
		o->avoided_vertex[v] = true;
		assert(apsp_avoided_vertex(avoided, o->n, v, NULL) == 0);
	}
	o->avoided[i][j] = true;
	assert(apsp_avoided_arc(avoided, o->n, i, j, NULL) == 0);
}

static inline bool oracle_has(
	const struct oracle_path *path, uint32_t n, uint32_t v)
{
	for (uint32_t i = 0; i <= n; i++)
		if (path->vertices[i] == v)
			return true;
	return false;
}

static inline void oracle_walk(struct oracle *o, struct oracle_path *walk,
	uint32_t to, uint32_t max_arcs, bool loopless)
{
	uint32_t v = walk->vertices[walk->n_arcs];

	if (v == to) {
		assert(o->n_paths < ORACLE_PATHS);
		o->paths[o->n_paths++] = *walk;
		if (loopless)
			return;
	}
	if (walk->n_arcs == max_arcs)
		return;
	for (uint32_t u = 0; u < o->n; u++) {
		struct oracle_path longer = *walk;

		if (!o->arc[v][u] || o->avoided[v][u] || o->avoided_vertex[u] ||
			(loopless && oracle_has(walk, walk->n_arcs, u)))
			continue;
		longer.vertices[++longer.n_arcs] = u;
		longer.sum += (oracle_sum)o->length[v][u];
		oracle_walk(o, &longer, to, max_arcs, loopless);
	}
}

/* By sum, arcs, and the lowest vertices from the end. */
static inline int oracle_compare(const void *a, const void *b)
{
	const struct oracle_path *p = a, *q = b;

	if (p->sum != q->sum)
		return p->sum < q->sum ? -1 : 1;
	if (p->n_arcs != q->n_arcs)
		return p->n_arcs < q->n_arcs ? -1 : 1;
	for (uint32_t i = p->n_arcs; i > 0; i--)
		if (p->vertices[i - 1] != q->vertices[i - 1])
			return p->vertices[i - 1] < q->vertices[i - 1] ? -1 : 1;
	return 0;
}

/* List paths or walks of the pair of at most max_arcs arcs, in order. */
static inline void oracle_list(
	struct oracle *o, uint32_t max_arcs, bool loopless)
{
	struct oracle_path start = {.vertices = {o->from}};

	o->n_paths = 0;
	oracle_walk(o, &start, o->to, max_arcs, loopless);
	qsort(o->paths, o->n_paths, sizeof(o->paths[0]), oracle_compare);
}

/*
 * Six pairs in each of so many random graphs of each kind: call check() with
 * the oracle, whose from and to are the pair.
 */
static inline void oracle_pairs(uint64_t seed, int graphs,
	void (*check)(
		struct oracle *o, const struct search_fixture *f, void *ctx),
	void *ctx)
{
	struct oracle *o = malloc(sizeof(*o));

	assert(o);
	for (int round = 0; round < graphs * ORACLE_KINDS; round++) {
		struct search_fixture f;

		if (!oracle_open(o, &f, round % ORACLE_KINDS, &seed))
			continue;
		for (int pair = 0; pair < 6; pair++) {
			o->from = random_below(&seed, o->n);
			o->to = random_below(&seed, o->n);
			check(o, &f, ctx);
			memset(o->avoided, 0, sizeof(o->avoided));
			memset(o->avoided_vertex, 0, sizeof(o->avoided_vertex));
		}
		search_fixture_done(&f);
	}
	free(o);
}

#endif
