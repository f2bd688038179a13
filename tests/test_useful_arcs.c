/*
 * All arcs that the path by way of one vertex beats are found, then all that a
 * path of two of the others beats, and none that is a shortest path itself.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compute/graph/in_arcs.h"
#include "compute/graph/useful_arcs.h"
#include "compute/arc_search.h"
#include "compute/parallel.h"
#include "compute/plan/footprint.h"
#include "compute/plan/plan_bytes.h"
#include "compute/solve/prepared_graph.h"
#include "daemon/base/clock.h"
#include "tests/graph_fixture.h"
#include "tests/random.h"

enum {
	N_MAX = 300,
	FIRST = 50,
	GROUP = 10,
	SOURCES_LEAST = 256,
	SOURCES_PER_PATH = 20,
	USELESS_LEAST = 8,
	CELLS_PER_ARC = 20,
};

#define NONE (INT64_MAX / 2)

/* Bytes that were asked for; none are given while refused is set. */
static atomic_size_t asked;
static atomic_bool refused;

/* Seconds that the clock advances beside the time with each call. */
static double clock_step_s;
static _Atomic double clock_ahead_s;

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
double __real_apsp_clock_s(void);
double __wrap_apsp_clock_s(void);

double __wrap_apsp_clock_s(void)
{
	double ahead = atomic_load(&clock_ahead_s) + clock_step_s;

	atomic_store(&clock_ahead_s, ahead);
	return __real_apsp_clock_s() + ahead;
}

void *__wrap_malloc(size_t size)
{
	atomic_fetch_add(&asked, size);
	return atomic_load(&refused) ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	atomic_fetch_add(&asked, n * size);
	return atomic_load(&refused) ? NULL : __real_calloc(n, size);
}

/* A graph and what is found of it. */
struct sample {
	struct graph_fixture g;
	struct apsp_lengths lengths;
	struct apsp_integers integers;
	struct apsp_root_paths paths;
	int64_t w[N_MAX][N_MAX]; /* of arcs; NONE */
	int64_t v[N_MAX][N_MAX]; /* distances */
	bool left[N_MAX][N_MAX]; /* arcs that the root leaves */
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

static void sample_find(struct sample *s, uint32_t n)
{
	struct apsp_err err;

	assert_int_equal(apsp_lengths_build(&s->g.graph, &s->lengths, &err), 0);
	sample_scale(s, n, 0);
	assert_int_equal(apsp_in_arcs_build(&s->lengths, NULL), 0);
	assert_int_equal(apsp_root_paths_find(&s->lengths, &s->integers, NULL,
				 &s->paths, &err),
		0);
}

static void sample_make(
	struct sample *s, uint32_t n, uint32_t m, uint64_t *seed)
{
	graph_fixture_init(&s->g, n);
	for (uint32_t e = 0; e < m; e++)
		graph_fixture_add(&s->g, random_below(seed, n),
			random_below(seed, n), 1 + random_below(seed, 9));
	sample_find(s, n);
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

/*
 * Complete graphs without arcs between them, whose arcs to and from the first
 * vertex are short and all others useless. The first graph, of FIRST vertices,
 * has the root, so that only paths of two arcs show it of the others.
 */
static struct sample *sample_groups(void)
{
	struct sample *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	graph_fixture_init(&s->g, N_MAX);
	for (uint32_t first = 0, n = FIRST; first < N_MAX; first += n) {
		n = first > 0 ? GROUP : FIRST;
		for (uint32_t u = first; u < first + n; u++)
			for (uint32_t v = first; v < first + n; v++)
				if (u != v)
					graph_fixture_add(&s->g, u, v,
						u == first || v == first ? 1
									 : 9);
	}
	sample_find(s, N_MAX);
	root_leave(s, N_MAX, N_MAX);
	assert_true(pairs_are_few(s, N_MAX));
	return s;
}

/* Whether arc e is left out once the root and paths of two arcs are compared.
 */
static bool is_useless(const struct sample *s, uint32_t n, uint32_t u,
	uint64_t e, bool searched)
{
	uint32_t v = s->lengths.heads[e];

	return !s->left[u][v] || (searched && pair_beats(s, n, u, v));
}

/* The flags and the arcs left are those that are expected, in their order. */
static void useful_check(const struct sample *s, uint32_t n,
	const struct apsp_useful_arcs *useful, bool searched)
{
	const struct apsp_lengths *left = &useful->lengths;
	uint64_t at = 0;

	assert_int_equal(left->n_vertices, n);
	for (uint32_t u = 0; u < n; u++) {
		assert_int_equal(left->offsets[u], at);
		for (uint64_t e = s->lengths.offsets[u];
			e < s->lengths.offsets[u + 1]; e++) {
			uint32_t v = s->lengths.heads[e];
			bool useless = is_useless(s, n, u, e, searched);

			assert_int_equal(useful->useless[e], useless);
			if (useless) {
				assert_true(s->v[u][v] < s->w[u][v]);
				continue;
			}
			assert_int_equal(left->heads[at], v);
			assert_true(left->lengths[at] == s->lengths.lengths[e]);
			at++;
		}
	}
	assert_int_equal(left->offsets[n], at);
	assert_int_equal(left->n_arcs, at);
}

/* Returns whether paths of two arcs were few enough to be compared. */
static bool case_run(uint32_t n, uint32_t m, int64_t scale, uint64_t *seed)
{
	struct sample *s = calloc(1, sizeof(*s));
	struct apsp_useful_arcs useful;
	uint64_t n_left = 0, n_useful = 0, bytes;
	struct apsp_err err;
	bool searched;

	assert_non_null(s);
	sample_make(s, n, m, seed);
	m = (uint32_t)s->lengths.n_arcs;
	root_leave(s, n, scale);
	for (uint32_t u = 0; u < n; u++)
		row_solve(s, n, u);
	searched = pairs_are_few(s, n);
	for (uint32_t u = 0; u < n; u++)
		for (uint64_t e = s->lengths.offsets[u];
			e < s->lengths.offsets[u + 1]; e++) {
			n_left += s->left[u][s->lengths.heads[e]];
			n_useful += !is_useless(s, n, u, e, searched);
		}
	atomic_store(&asked, 0);
	assert_int_equal(apsp_useful_arcs_find(&s->lengths, &s->integers,
				 &s->paths, NULL, INFINITY, &useful, &err),
		0);
	bytes = apsp_arc_search_bytes(n, m, searched ? n_left : 0, false);
	if (n < SOURCES_LEAST || m - n_useful <= m / USELESS_LEAST ||
		n_useful >= n * n / CELLS_PER_ARC) {
		assert_null(useful.useless);
		assert_int_equal(useful.lengths.n_arcs, 0);
	} else {
		useful_check(s, n, &useful, searched);
		bytes += 12 * (n_useful + 1);
	}
	assert_in_range(atomic_load(&asked), bytes > 0, bytes + 12);
	apsp_useful_arcs_done(&useful);
	sample_done(s);
	free(s);
	return searched;
}

static void test_random(void **state)
{
	uint32_t n_searched = 0, n_cases = 24;
	uint64_t seed = 5;

	(void)state;
	case_run(1, 0, 1, &seed);
	case_run(SOURCES_LEAST - 1, 1000, SOURCES_LEAST, &seed);
	case_run(SOURCES_LEAST, 2, SOURCES_LEAST, &seed);
	for (uint32_t i = 0; i < n_cases; i++) {
		uint32_t n = SOURCES_LEAST +
			     random_below(&seed, N_MAX - SOURCES_LEAST);

		/* the scale that paths were found in, and smaller ones */
		n_searched += case_run(n, random_below(&seed, 80 * n),
			i % 3 == 0 ? n : 1 + random_below(&seed, n), &seed);
	}
	assert_in_range(n_searched, 5, n_cases - 5);
}

/* Paths of two arcs are compared only in the given time, and until it is over.
 */
static void test_time(void **state)
{
	struct sample *s = sample_groups();

	(void)state;
	for (int step = 0; step < 3; step++) {
		struct apsp_useful_arcs useful;
		struct apsp_err err;

		/* the clock runs on as soon as the search has begun */
		clock_step_s = step == 2 ? 2 : 0;
		assert_int_equal(apsp_useful_arcs_find(&s->lengths,
					 &s->integers, &s->paths, NULL,
					 step == 1 ? 0 : 1, &useful, &err),
			0);
		clock_step_s = 0;
		assert_non_null(useful.useless);
		useful_check(s, N_MAX, &useful, step == 0);
		apsp_useful_arcs_done(&useful);
	}
	sample_done(s);
	free(s);
}

/* A stop ends the search. Without memory for it all arcs count as useful. */
static void test_prepared(void **state)
{
	struct sample *s = sample_groups();
	struct apsp_stop stop = {0};
	struct apsp_prepared_graph prepared = {.lengths = s->lengths,
		.integers = s->integers,
		.paths = s->paths};
	const struct apsp_lengths *all = &prepared.lengths;
	struct apsp_err err;

	(void)state;
	apsp_stop_ask(&stop, APSP_STOP_CANCEL);
	assert_int_equal(apsp_prepared_graph_useful(&prepared, &stop, 1, &err),
		APSP_ECANCELLED);
	assert_ptr_equal(apsp_prepared_graph_arcs(&prepared), all);
	apsp_prepared_graph_drop_useful(&prepared);
	atomic_store(&refused, true);
	assert_int_equal(
		apsp_prepared_graph_useful(&prepared, NULL, 1, &err), 0);
	atomic_store(&refused, false);
	assert_ptr_equal(apsp_prepared_graph_arcs(&prepared), all);
	apsp_prepared_graph_drop_useful(&prepared);
	assert_int_equal(
		apsp_prepared_graph_useful(&prepared, NULL, 1, &err), 0);
	assert_true(apsp_prepared_graph_arcs(&prepared)->n_arcs < all->n_arcs);
	apsp_prepared_graph_drop_useful(&prepared);
	assert_ptr_equal(apsp_prepared_graph_arcs(&prepared), all);
	sample_done(s);
	free(s);
}

/* Few sources, or lengths that are all 1, are not worth a search. */
static void test_pay(void **state)
{
	(void)state;
	assert_true(apsp_arc_search_pays(256, false));
	assert_false(apsp_arc_search_pays(255, false));
	assert_false(apsp_arc_search_pays(1000, true));
	assert_int_equal(apsp_arc_search_bytes(255, 1000, 1000, false), 0);
	assert_int_equal(apsp_useful_arcs_bytes(1000, 1000, 100, true), 0);
	assert_int_equal(apsp_useful_arcs_bytes(1000, 800, 700, false), 0);
	assert_int_equal(apsp_useful_arcs_bytes(1000, 90000, 50000, false), 0);
	assert_int_equal(apsp_useful_arcs_bytes(1000, 50000, 2000, false),
		8 * 1001 + 50000 + 12 * 2000);
	/* of two arcs there are at most so many that are compared */
	assert_int_equal(apsp_arc_search_bytes(1000, 900000, 900000, false),
		apsp_arc_search_bytes(1000, 900000, 50000, false));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_time),
		cmocka_unit_test(test_prepared),
		cmocka_unit_test(test_pay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
