/*
 * Estimates of a whole job: its stages, and what is guessed of a graph before
 * its arcs are read.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "compute/plan/graph_guess.h"
#include "compute/plan/plan.h"
#include "daemon/job/arc_facts.h"
#include "tests/plan_fixture.h"

static double stage_of(const struct apsp_plan_facts *facts, const char *name,
	enum apsp_stage stage)
{
	struct apsp_plan plan;

	apsp_plan_make(facts, name, &plan);
	return estimate_of(&plan, name)->cost.seconds[stage];
}

/* All but waiting for other jobs and tries takes time, and adds up. */
static void test_stages(void **state)
{
	struct apsp_plan_facts facts = on_cpu(2000, 80000);
	struct apsp_plan plan;
	const struct apsp_estimate *e;
	double sum = 0;

	(void)state;
	apsp_plan_make(&facts, "", &plan);
	e = estimate_of(&plan, "blocked-fw");
	for (int s = 0; s < APSP_N_STAGES; s++) {
		bool none = s == APSP_STAGE_QUEUED || s == APSP_STAGE_TRIED ||
			    s == APSP_STAGE_MEASURE;

		assert_true(none == (e->cost.seconds[s] == 0));
		sum += e->cost.seconds[s];
	}
	assert_true(fabs(sum - e->seconds) < 1e-9);
	/* the host's algorithm needs no device */
	e = estimate_of(&plan, "reference");
	assert_true(e->cost.seconds[APSP_STAGE_SELF_TEST] == 0);
	assert_true(e->cost.seconds[APSP_STAGE_DOWNLOAD] == 0);
	assert_true(e->cost.seconds[APSP_STAGE_WRITE] > 0);
}

/* The device opens beside the reading of arcs, or is open. */
static void test_open(void **state)
{
	struct apsp_plan_facts facts = facts_of(200, 1000);
	double open_s;

	(void)state;
	facts.rates.start_s = 0.5;
	open_s = stage_of(&facts, "fw", APSP_STAGE_OPEN);
	assert_true(open_s > 0.49 && open_s < 0.51);
	facts.work.n_arcs = 100000000;
	open_s = stage_of(&facts, "fw", APSP_STAGE_OPEN);
	assert_true(open_s > 0 && open_s < 0.01);
	facts.solver_waits = true;
	assert_true(stage_of(&facts, "fw", APSP_STAGE_OPEN) == 0);
}

/* Seconds of the search for useless arcs: no other algorithm than those that
   compete needs it, and nothing else in this stage depends on the algorithm. */
static double search_s(const struct apsp_plan_facts *facts)
{
	return stage_of(facts, "blocked-fw", APSP_STAGE_LENGTHS) -
	       stage_of(facts, "fw", APSP_STAGE_LENGTHS);
}

/* The search for useless arcs compares arcs, and paths of two useful arcs. */
static void test_search(void **state)
{
	struct apsp_plan_facts facts = on_cpu(12529, 1247954);
	double arcs_s;

	(void)state;
	/* measured: 0.0188 s on two cores */
	facts.work.n_useful = 353442;
	assert_true(search_s(&facts) > 0.009 && search_s(&facts) < 0.03);
	/* so many useful arcs are not compared with paths */
	facts.work.n_useful = facts.work.n_arcs = 10000000;
	arcs_s = search_s(&facts);
	facts.work.n_arcs *= 2;
	assert_true(fabs(search_s(&facts) - 2 * arcs_s) < arcs_s / 1000);
	facts.work.unit_lengths = true;
	assert_true(search_s(&facts) == 0);
	facts = on_cpu(255, 10000);
	assert_true(search_s(&facts) == 0);
}

static void test_scales(void **state)
{
	struct apsp_plan_facts facts = on_cpu(2000, 80000);
	double read_s = stage_of(&facts, "fw", APSP_STAGE_LENGTHS);
	double write_s = stage_of(&facts, "fw", APSP_STAGE_WRITE);

	(void)state;
	/* path sums are made on the host */
	facts.work.distance = APSP_ELEMENT_F32;
	assert_true(stage_of(&facts, "fw", APSP_STAGE_WRITE) > 1.3 * write_s);
	/* a host that is ten times slower */
	facts.rates.read_arc_s *= 10;
	assert_true(stage_of(&facts, "fw", APSP_STAGE_LENGTHS) > 5 * read_s);
}

static const struct apsp_algorithm *const multi =
	&apsp_algorithms[APSP_ALGORITHM_MULTI_SOURCE];

/* The visits with the searches for rows, divided by the visits alone. */
static double kept_share(uint64_t n, uint64_t n_arcs, bool hubs, bool ones)
{
	struct apsp_workload work = {.n_vertices = n,
		.n_arcs = n_arcs,
		.hubs = hubs,
		.unit_lengths = ones,
		.reachable = 1,
		.likely = true};
	double visits = multi->operations(&work);

	work.n_useful = n_arcs;
	return visits / multi->gpu_operations(&work);
}

/* Most of many arcs are useless on a CPU, but none of arcs of one length. */
static void test_likely_arcs(void **state)
{
	double even = kept_share(13869, 524288, false, false);

	(void)state;
	assert_true(even < 0.9);
	assert_true(kept_share(13869, 524288, true, false) < 0.3 * even);
	assert_true(kept_share(13869, 524288, false, true) == 1);
	/* few arcs are all useful, and rows are short */
	assert_true(kept_share(16384, 65024, false, false) > 1.7);
	assert_true(kept_share(16384, 130048, false, false) < 1.5);
}

/* Of V that counts arcs, a CPU passes each vertex more often on longer paths.
 */
static void test_long_paths(void **state)
{
	const enum apsp_stage v = APSP_STAGE_DISTANCE;
	struct apsp_plan_facts facts = on_cpu(3353, 8870);
	double short_s, ratio;

	(void)state;
	facts.work.unit_lengths = true;
	facts.work.hops = 4;
	short_s = stage_of(&facts, "multi-source", v);
	facts.work.hops = 52;
	ratio = stage_of(&facts, "multi-source", v) / short_s;
	assert_true(ratio > 2 && ratio < 4);
}

/* What solves of the benchmark's graphs kept or found essential, of n ln n. */
static void test_essential(void **state)
{
	static const struct {
		uint64_t n, n_arcs;
		bool hubs;
		double least, most;
	} graphs[] = {
		{512, 261632, false, 1.0, 1.2},	   /* complete:512 */
		{12529, 1247954, false, 2.8, 3.2}, /* sparse:12529:100 */
		{3013, 110706, false, 2.0, 3.2},   /* larva, its inverse */
		{13869, 523649, true, 0.3, 0.5},   /* rmat:14:32 */
		{3632, 130621, true, 0.3, 0.5},	   /* rmat:12:32 */
	};
	struct apsp_workload work = {.reachable = 1};
	double share;

	(void)state;
	for (size_t i = 0; i < sizeof(graphs) / sizeof(*graphs); i++) {
		work.n_vertices = graphs[i].n;
		work.n_arcs = graphs[i].n_arcs;
		work.hubs = graphs[i].hubs;
		share = (double)apsp_cost_essential(&work) /
			((double)graphs[i].n * log((double)graphs[i].n));
		if (share < graphs[i].least || share > graphs[i].most)
			fail_msg("%g of graph %zu", share, i);
	}
	/* never more than there are, and all of one length */
	work.n_arcs = 4096;
	assert_int_equal(apsp_cost_essential(&work), 4096);
	work.n_arcs = 130621;
	work.unit_lengths = true;
	assert_int_equal(apsp_cost_essential(&work), 130621);
	assert_int_equal(apsp_cost_essential(&(struct apsp_workload){0}), 0);
}

static void guess_make(uint64_t n, uint64_t n_arcs, unsigned int weights,
	enum apsp_transform transform, struct apsp_workload *out)
{
	const struct apsp_profile rule = {.transform = transform};

	apsp_graph_guess_workload(n, n_arcs, weights, &rule, out);
}

/* Around hubs, arcs are pushed less often, and few arcs make no road. */
static void test_hubs(void **state)
{
	struct apsp_workload even, hubs;

	(void)state;
	for (int t = 0; t < 2; t++) {
		enum apsp_transform transform =
			t ? APSP_TRANSFORM_HOPS : APSP_TRANSFORM_NONE;

		guess_make(3632, 130621, 0, transform, &even);
		guess_make(3632, 130621, APSP_ARC_HUBS, transform, &hubs);
		assert_false(even.hubs);
		assert_true(hubs.hubs);
		assert_true(multi->gpu_operations(&hubs) <=
			    multi->gpu_operations(&even));
		assert_int_equal(hubs.hops, even.hops);
		assert_int_equal(hubs.element, even.element);
		/* rmat:12:4 */
		guess_make(2524, 13000, 0, transform, &even);
		guess_make(2524, 13000, APSP_ARC_HUBS, transform, &hubs);
		assert_true(even.hops > 50);
		assert_true(hubs.hops > 7 && hubs.hops < 20);
		assert_true(multi->gpu_operations(&hubs) <=
			    multi->gpu_operations(&even));
	}
	/* fewer arcs than vertices */
	guess_make(1000, 10, APSP_ARC_HUBS, APSP_TRANSFORM_NONE, &hubs);
	assert_true(hubs.hops > 0 && hubs.hops < 1000);
}

static void expect_guess(uint64_t n, uint64_t n_arcs, double largest,
	enum apsp_transform transform, enum apsp_element element,
	enum apsp_element distance)
{
	struct apsp_workload guess;

	guess_make(n, n_arcs, apsp_arc_facts_of_weight(largest), transform,
		&guess);
	assert_int_equal(guess.element, element);
	assert_int_equal(guess.distance, distance);
	assert_true(guess.hops < n);
}

/* What the solver found of the benchmark's graphs. */
static void test_guesses(void **state)
{
	const enum apsp_transform none = APSP_TRANSFORM_NONE;
	const enum apsp_transform inv = APSP_TRANSFORM_INV;

	(void)state;
	expect_guess(
		3013, 111243, 121, none, APSP_ELEMENT_U16, APSP_ELEMENT_U16);
	expect_guess(
		3013, 111243, 121, inv, APSP_ELEMENT_I32, APSP_ELEMENT_F32);
	expect_guess(3013, 111243, 121, APSP_TRANSFORM_HOPS, APSP_ELEMENT_U16,
		APSP_ELEMENT_U16);
	expect_guess(
		3353, 8870, 10000, none, APSP_ELEMENT_I32, APSP_ELEMENT_I32);
	expect_guess(
		3353, 8870, 10000, inv, APSP_ELEMENT_F64, APSP_ELEMENT_F32);
	expect_guess(
		4096, 16128, 100, none, APSP_ELEMENT_I32, APSP_ELEMENT_I32);
	expect_guess(
		2048, 4192256, 1e6, none, APSP_ELEMENT_I32, APSP_ELEMENT_I32);
	expect_guess(
		12529, 1252900, 100, none, APSP_ELEMENT_U16, APSP_ELEMENT_U16);
	/* nothing is known of the weights but that they are whole, or real */
	expect_guess(2000, 80000, 0, none, APSP_ELEMENT_I32, APSP_ELEMENT_I32);
	expect_guess(
		2000, 80000, 0.5, none, APSP_ELEMENT_I32, APSP_ELEMENT_F32);
	expect_guess(2000, 80000, -3, none, APSP_ELEMENT_I32, APSP_ELEMENT_I32);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stages),
		cmocka_unit_test(test_open),
		cmocka_unit_test(test_search),
		cmocka_unit_test(test_scales),
		cmocka_unit_test(test_likely_arcs),
		cmocka_unit_test(test_long_paths),
		cmocka_unit_test(test_essential),
		cmocka_unit_test(test_hubs),
		cmocka_unit_test(test_guesses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
