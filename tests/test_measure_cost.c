/*
 * What betweenness adds to a plan.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "compute/plan/plan.h"
#include "tests/plan_fixture.h"

/* Betweenness takes seconds, memory and disk, and may be too much. */
static void test_betweenness(void **state)
{
	struct apsp_plan_facts facts = on_cpu(3000, 110000);
	const struct apsp_estimate *before, *after;
	struct apsp_plan plain, plan;
	double measure_s;

	(void)state;
	apsp_plan_make(&facts, "", &plain);
	facts.work.betweenness = true;
	apsp_plan_make(&facts, "", &plan);
	before = apsp_plan_choice(&plain);
	after = apsp_plan_choice(&plan);
	assert_string_equal(before->name, after->name);
	measure_s = after->cost.seconds[APSP_STAGE_MEASURE];
	assert_true(before->cost.seconds[APSP_STAGE_MEASURE] == 0 &&
		    measure_s > 0.01);
	assert_true(fabs(before->seconds + measure_s - after->seconds) < 1e-9);
	/* V is gone by then */
	assert_true(after->host_bytes == before->host_bytes);
	assert_true(after->disk_bytes >= before->disk_bytes + 8 * 3000);
	/* the arcs by head and their lengths, where V and the rest take less */
	facts = on_cpu(3000, 8000000);
	facts.work.likely = true;
	apsp_plan_make(&facts, "blocked-fw", &plain);
	facts.work.betweenness = true;
	apsp_plan_make(&facts, "blocked-fw", &plan);
	before = apsp_plan_choice(&plain);
	after = apsp_plan_choice(&plan);
	assert_true(after->host_bytes > before->host_bytes + 4 * 8000000);
	facts = facts_of(200000, UINT64_C(30000) * 3000000);
	facts.host_bytes = facts.disk_bytes = APSP_PLAN_UNKNOWN;
	facts.device.memory_bytes = UINT64_MAX;
	facts.work.unit_lengths = true;
	facts.work.betweenness = true;
	expect_refusal(&facts, "", APSP_ELIMIT, "leave out 'measures'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_betweenness),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
