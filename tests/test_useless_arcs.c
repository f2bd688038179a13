/*
 * All arcs that the path by way of one vertex beats are found, then all that a
 * path of two of the others beats, and none that is a shortest path itself.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compute/graph/useless_arcs.h"
#include "tests/graph_fixture.h"
#include "tests/random.h"

enum {
	N_MAX = 150, /* more than a thread takes at a time */
	SOURCES_PER_PATH = 20,
};

#define NONE (INT64_MAX / 2)

/* A graph and what is found of it. */
struct sample {
	struct graph_fixture g;
	struct apsp_lengths lengths;
	struct apsp_integers integers;
	int64_t w[N_MAX][N_MAX];       /* of arcs; NONE */
	int64_t v[N_MAX][N_MAX];       /* distances */
	bool left[N_MAX][N_MAX];       /* arcs that the root leaves */
	uint8_t longer[N_MAX * N_MAX]; /* as found, by arc */
};

static void sample_make(
	struct sample *s, uint32_t n, uint32_t m, uint64_t *seed)
{
	struct apsp_negative_cycle cycle = {0};
	struct apsp_err err;

	graph_fixture_init(&s->g, n);
	for (uint32_t e = 0; e < m; e++)
		graph_fixture_add(&s->g, random_below(seed, n),
			random_below(seed, n), 1 + random_below(seed, 9));
	assert_int_equal(apsp_lengths_build(&s->g.graph, &s->lengths, &err), 0);
	assert_int_equal(apsp_integers_build(&s->g.graph, &s->lengths, 0,
				 &s->integers, &cycle, &err),
		0);
	for (uint32_t u = 0; u < n; u++)
		for (uint32_t v = 0; v < n; v++)
			s->w[u][v] = NONE;
	for (uint32_t u = 0; u < n; u++)
		for (uint64_t e = s->lengths.offsets[u];
			e < s->lengths.offsets[u + 1]; e++)
			s->w[u][s->lengths.heads[e]] = apsp_integers_at(
				&s->lengths, &s->integers, u, e);
}

static void sample_done(struct sample *s)
{
	apsp_integers_done(&s->integers);
	apsp_lengths_done(&s->lengths);
	graph_fixture_done(&s->g);
}

/* Bellman–Ford from u. */
static void row_solve(struct sample *s, uint32_t n, uint32_t u)
{
	bool fell = true;

	for (uint32_t v = 0; v < n; v++)
		s->v[u][v] = v == u ? 0 : NONE;
	while (fell) {
		fell = false;
		for (uint32_t k = 0; k < n; k++)
			for (uint64_t e = s->lengths.offsets[k];
				e < s->lengths.offsets[k + 1]; e++) {
				uint32_t v = s->lengths.heads[e];

				if (s->v[u][k] + s->w[k][v] < s->v[u][v]) {
					s->v[u][v] = s->v[u][k] + s->w[k][v];
					fell = true;
				}
			}
	}
}

/* The first vertex of largest degree. */
static uint32_t root_of(const struct sample *s, uint32_t n)
{
	uint32_t root = 0, most = 0;

	for (uint32_t v = 0; v < n; v++) {
		uint32_t degree = 0;

		for (uint32_t k = 0; k < n; k++)
			degree += (s->w[v][k] < NONE) + (s->w[k][v] < NONE);
		if (degree > most) {
			most = degree;
			root = v;
		}
	}
	return root;
}

/* Whether a path of two arcs that are left is shorter than the arc. */
static bool pair_beats(
	const struct sample *s, uint32_t n, uint32_t u, uint32_t v)
{
	for (uint32_t k = 0; k < n; k++)
		if (s->left[u][k] && s->left[k][v] &&
			s->w[u][k] + s->w[k][v] < s->w[u][v])
			return true;
	return false;
}

/* Compare what is found by the root; returns the paths of two arcs left. */
static uint64_t root_check(struct sample *s, uint32_t n, uint64_t *out_left)
{
	uint32_t root = root_of(s, n), degrees[N_MAX] = {0};
	uint64_t paths = 0;
	struct apsp_err err;

	*out_left = 0;
	memset(s->left, 0, sizeof(s->left));
	assert_int_equal(apsp_useless_arcs_by_root(
				 &s->lengths, &s->integers, s->longer, &err),
		0);
	for (uint32_t u = 0; u < n; u++)
		for (uint64_t e = s->lengths.offsets[u];
			e < s->lengths.offsets[u + 1]; e++) {
			uint32_t v = s->lengths.heads[e];

			s->left[u][v] =
				s->w[u][v] <= s->v[u][root] + s->v[root][v];
			assert_int_equal(s->longer[e], !s->left[u][v]);
			degrees[u] += s->left[u][v];
			*out_left += s->left[u][v];
		}
	for (uint32_t u = 0; u < n; u++)
		for (uint32_t v = 0; v < n; v++)
			paths += s->left[u][v] ? degrees[v] : 0;
	return paths;
}

/* Returns whether paths of two arcs were few enough to be looked at. */
static bool case_run(uint32_t n, uint32_t m, uint64_t *seed)
{
	struct sample *s = calloc(1, sizeof(*s));
	uint64_t left, paths;
	struct apsp_err err;
	bool searched;

	assert_non_null(s);
	sample_make(s, n, m, seed);
	for (uint32_t u = 0; u < n; u++)
		row_solve(s, n, u);
	paths = root_check(s, n, &left);
	searched = paths * SOURCES_PER_PATH < left * n;
	assert_int_equal(apsp_useless_arcs_find(
				 &s->lengths, &s->integers, s->longer, &err),
		0);
	for (uint32_t u = 0; u < n; u++)
		for (uint64_t e = s->lengths.offsets[u];
			e < s->lengths.offsets[u + 1]; e++) {
			uint32_t v = s->lengths.heads[e];

			assert_int_equal(s->longer[e],
				!s->left[u][v] ||
					(searched && pair_beats(s, n, u, v)));
			if (s->longer[e])
				assert_true(s->v[u][v] < s->w[u][v]);
		}
	sample_done(s);
	free(s);
	return searched;
}

static void test_random(void **state)
{
	uint32_t n_searched = 0, n_cases = 40;
	uint64_t seed = 5;

	(void)state;
	case_run(1, 0, &seed);
	for (uint32_t i = 0; i < n_cases; i++) {
		uint32_t n = 2 + random_below(&seed, N_MAX - 1);

		n_searched += case_run(n, random_below(&seed, 8 * n), &seed);
	}
	assert_in_range(n_searched, 5, n_cases - 5);
}

/* Few sources, many arcs, or lengths that are all 1 are not worth a search. */
static void test_pay(void **state)
{
	struct apsp_lengths lengths = {.n_vertices = 1000, .n_arcs = 49999};
	struct apsp_integers integers = {.kind = APSP_DISTANCE_SCALED};

	(void)state;
	assert_true(apsp_useless_arcs_pay(&lengths, &integers));
	integers.kind = APSP_DISTANCE_HOPS;
	assert_false(apsp_useless_arcs_pay(&lengths, &integers));
	integers.kind = APSP_DISTANCE_SUM;
	lengths.n_arcs++;
	assert_false(apsp_useless_arcs_pay(&lengths, &integers));
	lengths.n_vertices = 255;
	lengths.n_arcs = 10;
	assert_false(apsp_useless_arcs_pay(&lengths, &integers));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_pay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
