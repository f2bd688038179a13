/*
 * A graph in its integer form, for tests of what makes it: its arcs, the rows
 * and what comes of them. Needs cmocka's headers before it.
 */
#ifndef APSP_TESTS_INTEGERS_FIXTURE_H
#define APSP_TESTS_INTEGERS_FIXTURE_H

#include "compute/graph/integers.h"
#include "compute/graph/lengths.h"
#include "compute/graph/potentials.h"
#include "tests/graph_fixture.h"
#include "tests/random.h"

/* One graph with what is made of it; r is that of apsp_integers_build(). */
struct integers_fixture {
	struct graph_fixture f;
	struct apsp_lengths lengths;
	struct apsp_integers integers;
	struct apsp_negative_cycle cycle;
	struct apsp_err err;
	int r;
};

static inline void integers_fixture_make(
	struct integers_fixture *m, int64_t scale)
{
	m->err = (struct apsp_err){0};
	m->integers = (struct apsp_integers){0};
	m->f.graph.profile.duplicates = APSP_DUPLICATES_MIN;
	assert_int_equal(apsp_lengths_build(&m->f.graph, &m->lengths, NULL), 0);
	m->r = apsp_integers_build(&m->f.graph, &m->lengths, scale,
		&m->integers, &m->cycle, &m->err);
	assert_int_equal(m->r, m->err.code);
	assert_int_equal(m->cycle.n != 0, m->r == APSP_ENEGCYCLE);
}

/* All but the graph. */
static inline void integers_fixture_forget(struct integers_fixture *m)
{
	apsp_negative_cycle_done(&m->cycle);
	apsp_integers_done(&m->integers);
	apsp_lengths_done(&m->lengths);
}

/* The path v0 → v1 → … with these lengths. */
static inline void integers_fixture_path(struct integers_fixture *m,
	const double *lengths, uint32_t n, int64_t scale)
{
	graph_fixture_init(&m->f, n + 1);
	for (uint32_t i = 0; i < n; i++)
		graph_fixture_add(&m->f, i, i + 1, lengths[i]);
	integers_fixture_make(m, scale);
}

static inline void integers_fixture_done(struct integers_fixture *m)
{
	integers_fixture_forget(m);
	graph_fixture_done(&m->f);
}

/* A random graph; hidden potentials keep most of its cycles from below 0. */
static inline void graph_fixture_init_negative(
	struct graph_fixture *f, uint64_t *seed, bool real, uint32_t slack)
{
	uint32_t n = 1 + random_below(seed, 30);
	uint32_t m = random_below(seed, 5 * n);
	double hidden[30];

	graph_fixture_init(f, n);
	for (uint32_t v = 0; v < n; v++)
		hidden[v] = random_below(seed, 50);
	for (uint32_t a = 0; a < m; a++) {
		uint32_t u = random_below(seed, n);
		uint32_t v = random_below(seed, n);
		double w = random_below(seed, 20) + hidden[u] - hidden[v];

		if (u != v && slack != 0 && random_below(seed, slack) == 0)
			w -= 10;
		/* quarters, so that sums are exact and cycles of 0 come up */
		graph_fixture_add(f, u, v, real ? w / 4 + 0.0 : w);
	}
}

#endif
