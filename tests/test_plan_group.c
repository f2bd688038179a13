/*
 * Plans of a group of processes: which work and which memory they divide.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compute/plan/plan.h"
#include "tests/plan_fixture.h"

/* In a group of processes, each has a part of V in its device's memory, and
   does its share of the work. */
static void test_parts(void **state)
{
	struct apsp_plan_facts facts = facts_of(100000, UINT64_C(3000000000));
	const struct apsp_estimate *one, *part;
	const struct apsp_plan_group four = {
		.processes = 4, .beside = 4, .devices = 4, .hosts = 1};
	struct apsp_plan alone, shared;

	(void)state;
	/* V has 40 GB, and a quarter of its rows 10 GB */
	apsp_plan_make(&facts, "blocked-fw", &alone);
	facts.group = four;
	apsp_plan_make(&facts, "blocked-fw", &shared);
	one = apsp_plan_choice(&alone);
	part = apsp_plan_choice(&shared);
	assert_int_equal(part->rows, apsp_plan_part_rows(100000, 4));
	assert_in_range(part->rows, 25000, 26000);
	assert_true(part->device_bytes < one->device_bytes - 29 * GB);
	assert_true(part->cost.seconds[APSP_STAGE_DISTANCE] ==
		    one->cost.seconds[APSP_STAGE_DISTANCE] / 4);
	facts.device.memory_bytes = 60 * GB;
	expect_choice(&facts, "blocked-fw");
	facts.group = (struct apsp_plan_group){0};
	expect_choice(&facts, "streamed-fw");
	/* the work of windows is divided, too, so the choice stays the same */
	facts = on_cpu(2000, 80000);
	facts.group = four;
	expect_choice(&facts, "multi-source");
	facts.work.visits = 40;
	expect_choice(&facts, "blocked-fw");
}

/* A group divides the rows of algorithms that work in windows, and only
   their seconds; each process keeps the sums of source blocks. */
static void test_group(void **state)
{
	struct apsp_plan_facts facts = facts_of(8192, 8192 * 40);
	struct apsp_plan alone, shared;
	const int rows = APSP_ALGORITHM_MULTI_SOURCE;
	const int whole = APSP_ALGORITHM_STREAMED_FW;

	(void)state;
	apsp_plan_make(&facts, "", &alone);
	facts.group = (struct apsp_plan_group){
		.processes = 4, .beside = 2, .devices = 4, .hosts = 2};
	apsp_plan_make(&facts, "", &shared);
	assert_true(shared.algorithms[whole].seconds ==
		    alone.algorithms[whole].seconds);
	assert_true(
		shared.algorithms[rows].cost.seconds[APSP_STAGE_DISTANCE] ==
		alone.algorithms[rows].cost.seconds[APSP_STAGE_DISTANCE] / 4);
	assert_true(shared.algorithms[rows].cost.seconds[APSP_STAGE_LENGTHS] ==
		    alone.algorithms[rows].cost.seconds[APSP_STAGE_LENGTHS]);
	assert_in_range(shared.algorithms[rows].seconds * 1e6,
		alone.algorithms[rows].seconds * 1e6 / 4,
		alone.algorithms[rows].seconds * 1e6 - 1);
	assert_int_equal(shared.algorithms[rows].host_bytes -
				 alone.algorithms[rows].host_bytes,
		128 * 8192 * 16);
	assert_int_equal(shared.algorithms[whole].host_bytes,
		alone.algorithms[whole].host_bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_group),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
