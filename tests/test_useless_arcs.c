/*
 * All arcs that the path by way of one vertex beats are found, then all that a
 * path of two of the others beats, and none that is a shortest path itself.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compute/graph/useless_arcs.h"
#include "compute/arc_search.h"
#include "compute/parallel.h"
#include "compute/plan/footprint.h"
#include "compute/plan/plan_bytes.h"
#include "tests/graph_fixture.h"
#include "tests/random.h"

enum {
	N_MAX = 150, /* more than a thread takes at a time */
	SOURCES_PER_PATH = 20,
};

#define NONE (INT64_MAX / 2)

/* Bytes that were asked for. */
static atomic_size_t asked;

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);

void *__wrap_malloc(size_t size)
{
	atomic_fetch_add(&asked, size);
	return __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	atomic_fetch_add(&asked, n * size);
	return __real_calloc(n, size);
}

/* A graph and what is found of it. */
struct sample {
	struct graph_fixture g;
	struct apsp_lengths lengths;
	struct apsp_integers integers;
	struct apsp_root_paths paths;
	int64_t w[N_MAX][N_MAX];       /* of arcs; NONE */
	int64_t v[N_MAX][N_MAX];       /* distances */
	bool left[N_MAX][N_MAX];       /* arcs that the root leaves */
	uint8_t longer[N_MAX * N_MAX]; /* as found, by arc */
};

/* Fill w with the arcs' integers in a scale; 0: n. */
static void sample_scale(struct sample *s, uint32_t n, int64_t scale)
{
	struct apsp_negative_cycle cycle = {0};
	struct apsp_err err;

	apsp_integers_done(&s->integers);
	assert_int_equal(apsp_integers_build(&s->g.graph, &s->lengths, scale,
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

static void sample_make(
	struct sample *s, uint32_t n, uint32_t m, uint64_t *seed)
{
	struct apsp_err err;

	graph_fixture_init(&s->g, n);
	for (uint32_t e = 0; e < m; e++)
		graph_fixture_add(&s->g, random_below(seed, n),
			random_below(seed, n), 1 + random_below(seed, 9));
	assert_int_equal(apsp_lengths_build(&s->g.graph, &s->lengths, &err), 0);
	sample_scale(s, n, 0);
	assert_int_equal(apsp_root_paths_find(&s->lengths, &s->integers, NULL,
				 &s->paths, &err),
		0);
}

static void sample_done(struct sample *s)
{
	apsp_root_paths_done(&s->paths);
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

/* V is distance · n + hops: the same path's length in another scale. */
static int64_t rescaled(int64_t v, uint32_t n, int64_t scale)
{
	return v == NONE ? NONE : v / n * scale + v % n;
}

/* Mark the arcs that the path by way of the root is not shorter than. */
static void root_leave(struct sample *s, uint32_t n, int64_t scale)
{
	uint32_t root = root_of(s, n);
	int64_t to[N_MAX], from[N_MAX];

	for (uint32_t u = 0; u < n; u++)
		row_solve(s, n, u);
	for (uint32_t v = 0; v < n; v++) {
		to[v] = rescaled(s->v[v][root], n, scale);
		from[v] = rescaled(s->v[root][v], n, scale);
	}
	sample_scale(s, n, scale);
	for (uint32_t u = 0; u < n; u++)
		for (uint32_t v = 0; v < n; v++)
			s->left[u][v] = s->w[u][v] < NONE &&
					s->w[u][v] <= to[u] + from[v];
}

/* Whether there are few paths of two arcs that are left. */
static bool pairs_are_few(const struct sample *s, uint32_t n)
{
	uint32_t degrees[N_MAX] = {0};
	uint64_t paths = 0, left = 0;

	for (uint32_t u = 0; u < n; u++)
		for (uint32_t v = 0; v < n; v++)
			degrees[u] += s->left[u][v];
	for (uint32_t u = 0; u < n; u++)
		for (uint32_t v = 0; v < n; v++) {
			left += s->left[u][v];
			paths += s->left[u][v] ? degrees[v] : 0;
		}
	return paths * SOURCES_PER_PATH < left * n;
}

/* The arcs that are left, copied, and each thread's row. */
static size_t search_bytes(const struct sample *s)
{
	size_t left = 1, n = s->g.graph.n_vertices;

	for (uint32_t u = 0; u < n; u++)
		for (uint32_t v = 0; v < n; v++)
			left += s->left[u][v];
	return 12 * left + 8 * (n * apsp_parallel_width() + 1);
}

/*
 * Returns whether paths of two arcs were few enough to be looked at. Without
 * root, its paths are not known.
 */
static bool case_run(
	uint32_t n, uint32_t m, int64_t scale, bool root, uint64_t *seed)
{
	struct sample *s = calloc(1, sizeof(*s));
	struct apsp_err err;
	bool searched;

	assert_non_null(s);
	sample_make(s, n, m, seed);
	root_leave(s, n, scale);
	for (uint32_t u = 0; u < n; u++) {
		row_solve(s, n, u);
		for (uint32_t v = 0; !root && v < n; v++)
			s->left[u][v] = s->w[u][v] < NONE;
	}
	searched = pairs_are_few(s, n);
	memset(s->longer, 2, sizeof(s->longer));
	atomic_store(&asked, 0);
	assert_int_equal(apsp_useless_arcs_find(&s->lengths, &s->integers,
				 root ? &s->paths : NULL, s->longer, &err),
		0);
	/* no arc is copied before the search is worth it */
	assert_in_range(atomic_load(&asked), 1,
		(root ? 3 : 1) * 8 * (n + 1) +
			(searched ? search_bytes(s) : 0));
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
	case_run(1, 0, 1, true, &seed);
	for (uint32_t i = 0; i < n_cases; i++) {
		uint32_t n = 2 + random_below(&seed, N_MAX - 1);

		/* the scale that paths were found in, and smaller ones */
		n_searched += case_run(n, random_below(&seed, 8 * n),
			i % 3 == 0 ? n : 1 + random_below(&seed, n), i % 4 > 0,
			&seed);
	}
	assert_in_range(n_searched, 5, n_cases - 5);
}

/* Whether a search pays; what plans count for it goes by the same rule. */
static bool pays(uint32_t n, uint64_t m, enum apsp_distance_kind kind)
{
	uint64_t bytes =
		apsp_arc_search_bytes(n, m, m, kind == APSP_DISTANCE_HOPS);
	uint64_t width = apsp_parallel_width();
	bool pay = apsp_arc_search_pays(n, m, kind == APSP_DISTANCE_HOPS);

	assert_int_equal(
		bytes, pay ? 12 * (m + 1) + 8 * (n + 1) * (1 + width) : 0);
	return pay;
}

/* Few sources, many arcs, or lengths that are all 1 are not worth a search. */
static void test_pay(void **state)
{
	(void)state;
	assert_true(pays(1000, 49999, APSP_DISTANCE_SCALED));
	assert_false(pays(1000, 49999, APSP_DISTANCE_HOPS));
	assert_false(pays(1000, 50000, APSP_DISTANCE_SUM));
	assert_true(pays(256, 10, APSP_DISTANCE_SUM));
	assert_false(pays(255, 10, APSP_DISTANCE_SUM));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_pay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
