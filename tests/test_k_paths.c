/*
 * The k shortest loopless paths of small random graphs against all paths listed
 * one by one: whole, real, zero and negative lengths, ties, avoided vertices
 * and arcs; the limits of work.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "storage/search/k_paths.h"
#include "storage/tables/lookup.h"
#include "tests/search_oracle.h"

enum {
	ROUNDS = 40, /* graphs of each kind */
};

static void check_paths(const struct oracle *o, const struct search_fixture *f,
	uint32_t k, const struct apsp_avoided *avoided)
{
	struct apsp_search_work work = {.max_arcs = 1000000};
	struct apsp_k_paths search = {0};
	size_t wanted = o->n_paths < k ? o->n_paths : k;

	assert_int_equal(apsp_k_paths_begin(f->tables, f->arcs, o->from, o->to,
				 k, avoided, &search, NULL),
		0);
	while (apsp_k_paths_step(&search, &work, NULL) > 0)
		continue;
	assert_int_equal(search.n_paths, wanted);
	for (size_t i = 0; i < wanted; i++) {
		const struct apsp_found_path *found = &search.paths[i];
		const struct oracle_path *right = &o->paths[i];

		assert_int_equal(found->n_arcs, right->n_arcs);
		assert_memory_equal(found->vertices, right->vertices,
			(right->n_arcs + 1) * sizeof(uint32_t));
		assert_true(apsp_path_cost_length(&f->arcs->unit,
				    found->cost) == (double)right->sum);
	}
	apsp_k_paths_done(&search);
}

/* Whole lengths: the first path is the one of the tables. */
static void check_first(const struct oracle *o, const struct search_fixture *f)
{
	struct apsp_path path = {0};

	assert_int_equal(
		apsp_lookup_path(f->tables, o->from, o->to, &path, NULL), 0);
	assert_int_equal(path.reachable, o->n_paths > 0);
	if (path.reachable)
		assert_memory_equal(path.vertices, o->paths[0].vertices,
			(path.hops + 1) * sizeof(uint32_t));
	apsp_path_done(&path);
}

static void check_pair(
	struct oracle *o, const struct search_fixture *f, void *ctx)
{
	struct apsp_avoided none = {0}, some = {0};
	size_t *most = ctx;

	oracle_list(o, o->n, true);
	*most = o->n_paths > *most ? o->n_paths : *most;
	if (o->kind < ORACLE_REAL)
		check_first(o, f);
	check_paths(o, f, 1, &none);
	check_paths(o, f, 7, &none);
	check_paths(o, f, 3000, &none);
	oracle_avoid(o, &some);
	oracle_list(o, o->n, true);
	check_paths(o, f, 1, &some);
	check_paths(o, f, 5, &some);
	apsp_avoided_done(&some);
}

static void against_all_paths(void **state)
{
	size_t most = 0;

	(void)state;
	oracle_pairs(2026, ROUNDS, check_pair, &most);
	assert_true(most > 100);
}

/* A search ends at its limit, and says so. */
static void limit_of_work(void **state)
{
	struct apsp_search_work work = {.max_arcs = 500};
	struct apsp_avoided none = {0};
	struct apsp_k_paths search = {0};
	struct search_fixture f;
	struct apsp_err err;
	int r;

	(void)state;
	search_fixture_init(&f, 40);
	for (uint32_t i = 0; i < 40; i++)
		for (uint32_t j = 0; j < 40; j++)
			if (i != j)
				graph_fixture_add(&f.graph, i, j, 1);
	assert_true(search_fixture_open(
		&f, APSP_TRANSFORM_NONE, APSP_PRECISION_FLOAT32));
	assert_int_equal(apsp_k_paths_begin(f.tables, f.arcs, 0, 39, 100, &none,
				 &search, &err),
		0);
	while ((r = apsp_k_paths_step(&search, &work, &err)) > 0)
		continue;
	assert_int_equal(r, APSP_ESEARCH);
	assert_non_null(strstr(err.message, "500 arcs"));
	apsp_k_paths_done(&search);
	search_fixture_done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(against_all_paths),
		cmocka_unit_test(limit_of_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
