/*
 * Paths of at most so many arcs and walks of exactly so many, in small random
 * graphs, against all walks listed one by one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "storage/search/walk_search.h"
#include "tests/search_oracle.h"

enum {
	ROUNDS = 25, /* graphs of each kind */
	LONGEST = 5, /* arcs */
};

/* The first walk listed with that many arcs at most, or exactly; or NULL. */
static const struct oracle_path *wanted(
	const struct oracle *o, uint32_t n_arcs, bool exactly)
{
	for (size_t i = 0; i < o->n_paths; i++)
		if (exactly ? o->paths[i].n_arcs == n_arcs
			    : o->paths[i].n_arcs <= n_arcs)
			return &o->paths[i];
	return NULL;
}

static bool repeats_vertex(const struct oracle_path *walk)
{
	for (uint32_t i = 0; i <= walk->n_arcs; i++)
		for (uint32_t j = 0; j < i; j++)
			if (walk->vertices[i] == walk->vertices[j])
				return true;
	return false;
}

static bool check_walk(const struct oracle *o, const struct search_fixture *f,
	uint32_t n_arcs, bool exactly, const struct apsp_avoided *avoided)
{
	const struct oracle_path *right = wanted(o, n_arcs, exactly);
	struct apsp_search_work work = {.max_arcs = 1000000};
	struct apsp_walk_search search = {0};
	bool repeats;
	int r;

	assert_int_equal(apsp_walk_search_begin(f->arcs, o->from, o->to, n_arcs,
				 exactly, avoided, &search, NULL),
		0);
	while ((r = apsp_walk_search_step(&search, &work, NULL)) > 0)
		continue;
	assert_int_equal(r, 0);
	assert_int_equal(search.found, right != NULL);
	if (right) {
		assert_int_equal(search.n_walked, right->n_arcs);
		assert_true(apsp_path_cost_length(&f->arcs->unit,
				    search.cost) == (double)right->sum);
		assert_memory_equal(search.vertices, right->vertices,
			(right->n_arcs + 1) * sizeof(uint32_t));
	}
	repeats = search.repeats;
	assert_int_equal(repeats, right && repeats_vertex(right));
	assert_true(work.bytes >= search.n_steps * sizeof(*search.steps));
	apsp_walk_search_done(&search);
	return repeats;
}

struct counts {
	unsigned int pairs;
	size_t repeating; /* walks */
};

static void check_pair(
	struct oracle *o, const struct search_fixture *f, void *ctx)
{
	struct apsp_avoided avoided = {0};
	struct counts *counts = ctx;

	if (counts->pairs++ % 2)
		oracle_avoid(o, &avoided);
	oracle_list(o, LONGEST, false);
	for (uint32_t n = 0; n <= LONGEST; n++) {
		assert_false(check_walk(o, f, n, false, &avoided));
		counts->repeating += check_walk(o, f, n, true, &avoided);
	}
	apsp_avoided_done(&avoided);
}

static void against_all_walks(void **state)
{
	struct counts counts = {0};

	(void)state;
	oracle_pairs(1958, ROUNDS, check_pair, &counts);
	assert_true(counts.repeating > 20);
}

/* Two vertices, to and fro: walks as long as one likes, in several turns. */
static void long_walk(void **state)
{
	struct apsp_search_work work = {.max_arcs = 10000000};
	struct apsp_walk_search search = {0};
	struct apsp_avoided none = {0};
	struct search_fixture f;
	int turns = 1;

	(void)state;
	search_fixture_init(&f, 2);
	graph_fixture_add(&f.graph, 0, 1, 0.1);
	graph_fixture_add(&f.graph, 1, 0, 0.2);
	assert_true(search_fixture_open(
		&f, APSP_TRANSFORM_NONE, APSP_PRECISION_FLOAT32));
	assert_int_equal(apsp_walk_search_begin(f.arcs, 0, 1, 99999, true,
				 &none, &search, NULL),
		0);
	while (apsp_walk_search_step(&search, &work, NULL) > 0)
		turns++;
	assert_true(turns > 1);
	assert_true(search.found && search.repeats);
	assert_true(
		apsp_path_cost_length(&f.arcs->unit, search.cost) ==
		(double)(50000 * (oracle_sum)0.1 + 49999 * (oracle_sum)0.2));
	apsp_walk_search_done(&search);
	search_fixture_done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(against_all_walks),
		cmocka_unit_test(long_walk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
