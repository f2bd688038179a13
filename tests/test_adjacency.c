/*
 * Arcs in memory: rows by tail and by head against the uploaded arcs, exact
 * units of length, the cache's sharing, limit and order of eviction.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/random.h"
#include "tests/search_fixture.h"

/* Every arc that was uploaded is in both forms, and nothing else is. */
static void rows_are_the_graph(void **state)
{
	enum { N = 90 };
	static double weights[N][N];
	struct search_fixture f;
	uint64_t seed = 5, n_arcs = 0;

	(void)state;
	search_fixture_init(&f, N);
	for (uint32_t i = 0; i < N; i++)
		for (uint32_t j = 0; j < N; j++) {
			if (random_below(&seed, 5) > 0)
				continue;
			weights[i][j] = 1 + random_below(&seed, 9);
			graph_fixture_add(&f.graph, i, j, weights[i][j]);
			weights[i][j] *= i != j;
			n_arcs += i != j;
		}
	assert_true(search_fixture_open(
		&f, APSP_TRANSFORM_INV, APSP_PRECISION_FLOAT32));
	assert_int_equal(f.arcs->n_arcs, n_arcs);
	for (uint32_t v = 0; v < N; v++) {
		struct apsp_vertex_arcs told = apsp_adjacency_vertex(f.arcs, v);
		struct apsp_vertex_arcs right = {0};

		for (uint32_t u = 0; u < N; u++) {
			uint64_t a = apsp_adjacency_find(f.arcs, v, u);

			right.out_degree += weights[v][u] > 0;
			right.in_degree += weights[u][v] > 0;
			right.out_strength += weights[v][u];
			right.in_strength += weights[u][v];
			assert_int_equal(a != APSP_ARC_NONE, weights[v][u] > 0);
			if (a == APSP_ARC_NONE)
				continue;
			assert_true(f.arcs->weights[a] == weights[v][u]);
			assert_true(f.arcs->lengths[a] == 1 / weights[v][u]);
		}
		assert_memory_equal(&told, &right, sizeof(right));
		for (uint64_t i = f.arcs->in_offsets[v];
			i < f.arcs->in_offsets[v + 1]; i++) {
			assert_true(i == f.arcs->in_offsets[v] ||
				    f.arcs->tails[i] > f.arcs->tails[i - 1]);
			assert_int_equal(apsp_adjacency_find(
						 f.arcs, f.arcs->tails[i], v),
				f.arcs->in_arcs[i]);
			assert_true(f.arcs->in_lengths[i] ==
				    f.arcs->lengths[f.arcs->in_arcs[i]]);
		}
	}
	search_fixture_done(&f);
}

/* A strength is the exact sum of its weights, rounded once. */
static void strengths_are_exact(void **state)
{
	static const double weights[] = {1e16, 1, -1e16, 0x1p-60};
	struct search_fixture f;

	(void)state;
	search_fixture_init(&f, 6);
	for (uint32_t i = 0; i < 4; i++) {
		graph_fixture_add(&f.graph, 0, i + 1, weights[i]);
		graph_fixture_add(&f.graph, i + 1, 5, weights[i]);
	}
	assert_true(search_fixture_open(
		&f, APSP_TRANSFORM_HOPS, APSP_PRECISION_FLOAT32));
	assert_true(apsp_adjacency_vertex(f.arcs, 0).out_strength == 1);
	assert_true(apsp_adjacency_vertex(f.arcs, 5).in_strength == 1);
	search_fixture_done(&f);
}

/* Each length is a whole number of units, and gives itself back. */
static void units_are_exact(void **state)
{
	static const double lengths[] = {
		0.1, 0.3, 1e-5, 3.25, 7, 0, 1000.0 / 3};
	struct search_fixture f;

	(void)state;
	search_fixture_init(&f, 8);
	for (uint32_t i = 0; i < 7; i++)
		graph_fixture_add(&f.graph, i, i + 1, lengths[i]);
	assert_true(search_fixture_open(
		&f, APSP_TRANSFORM_NONE, APSP_PRECISION_FLOAT32));
	for (uint32_t i = 0; i < 7; i++) {
		double units = apsp_path_cost_units(&f.arcs->unit, lengths[i]);
		apsp_path_cost cost =
			apsp_path_cost_of_arc(&f.arcs->unit, lengths[i]);

		assert_true(units == rint(units));
		assert_true(ldexp(units, f.arcs->unit.exponent) == lengths[i]);
		assert_int_equal(
			apsp_path_cost_arcs(&f.arcs->unit, 5 * cost), 5);
		assert_true(apsp_path_cost_length(&f.arcs->unit, 5 * cost) ==
			    (double)(5 * (long double)lengths[i]));
	}
	assert_true(f.arcs->facts.zeros && !f.arcs->facts.negative);
	assert_true(f.arcs->facts.smallest == 1e-5);
	search_fixture_done(&f);
}

/* A chain of n vertices. */
static void open_chain(struct search_fixture *f, uint32_t n, double weight)
{
	search_fixture_init(f, n);
	for (uint32_t v = 0; v + 1 < n; v++)
		graph_fixture_add(&f->graph, v, v + 1, weight);
	assert_true(search_fixture_open(
		f, APSP_TRANSFORM_NONE, APSP_PRECISION_FLOAT32));
}

static struct apsp_shared_adjacency *loaded(
	struct apsp_adjacency_cache *cache, struct search_fixture *f)
{
	struct apsp_shared_adjacency *shared = NULL;
	struct apsp_err err;

	assert_int_equal(
		apsp_adjacency_cache_open(cache, f->tables, &shared, &err), 0);
	while (apsp_adjacency_cache_load(shared, f->tables, &err) > 0)
		continue;
	assert_non_null(apsp_adjacency_cache_arcs(shared));
	return shared;
}

/* The longest unused makes room; what is in use never does. */
static void cache_keeps_its_limit(void **state)
{
	struct search_fixture f[3];
	struct apsp_adjacency_cache *cache = NULL;
	struct apsp_shared_adjacency *a, *b, *c;
	struct apsp_err err;
	uint64_t one, limit;

	(void)state;
	for (int i = 0; i < 3; i++)
		open_chain(&f[i], 40, i + 1);
	one = apsp_adjacency_bytes(&f[0].tables->header);
	assert_int_equal(
		apsp_adjacency_cache_new(2 * one + 9, &cache, &err), 0);
	a = loaded(cache, &f[0]);
	b = loaded(cache, &f[1]);
	assert_ptr_equal(loaded(cache, &f[0]), a);
	apsp_adjacency_cache_close(a);
	assert_int_equal(apsp_adjacency_cache_bytes(cache, &limit), 2 * one);
	assert_int_equal(
		apsp_adjacency_cache_open(cache, f[2].tables, &c, &err),
		APSP_EBUSY);
	apsp_adjacency_cache_close(b);
	apsp_adjacency_cache_close(a);
	a = loaded(cache, &f[0]); /* used later than b now */
	apsp_adjacency_cache_close(a);
	c = loaded(cache, &f[2]); /* b makes room */
	assert_int_equal(apsp_adjacency_cache_bytes(cache, &limit), 2 * one);
	assert_int_equal(
		apsp_adjacency_cache_open(cache, f[0].tables, &a, &err), 0);
	assert_non_null(apsp_adjacency_cache_arcs(a)); /* it was kept */
	assert_int_equal(
		apsp_adjacency_cache_open(cache, f[1].tables, &b, &err),
		APSP_EBUSY);
	apsp_adjacency_cache_close(a);
	apsp_adjacency_cache_close(c);
	apsp_adjacency_cache_free(cache);

	assert_int_equal(apsp_adjacency_cache_new(one - 1, &cache, &err), 0);
	assert_int_equal(
		apsp_adjacency_cache_open(cache, f[0].tables, &a, &err),
		APSP_ENOMEM);
	apsp_adjacency_cache_free(cache);
	for (int i = 0; i < 3; i++)
		search_fixture_done(&f[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_the_graph),
		cmocka_unit_test(strengths_are_exact),
		cmocka_unit_test(units_are_exact),
		cmocka_unit_test(cache_keeps_its_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
