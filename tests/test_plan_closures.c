/*
 * Plans of jobs that name a closure: the text names it, its memory counts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/plan_fixture.h"

/* The closure is made before the distances: the larger of both counts. */
static void test_bytes(void **state)
{
	struct apsp_plan_facts facts = facts_of(100000, 1000000);
	const struct apsp_estimate *choice;
	struct apsp_plan plan;

	(void)state;
	apsp_plan_make(&facts, "closure-warshall", &plan);
	choice = apsp_plan_choice(&plan);
	assert_true(choice->device_bytes > plan.closures[2].device_bytes);
	assert_true(plan.device_bytes == choice->device_bytes);
	assert_true(plan.host_bytes == choice->host_bytes);
	/* arcs for both, and of the matrix no more than slabs */
	facts = facts_of(100000, 3 * GB);
	facts.device.memory_bytes = 60 * GB;
	apsp_plan_make(&facts, "closure-warshall", &plan);
	choice = apsp_plan_choice(&plan);
	assert_true(choice->device_bytes < plan.closures[2].device_bytes);
	assert_true(plan.device_bytes == plan.closures[2].device_bytes);
	assert_true(plan.host_bytes == choice->host_bytes);
	apsp_plan_make(&facts, "", &plan);
	assert_true(plan.device_bytes == choice->device_bytes);
}

static void test_text(void **state)
{
	struct apsp_plan_facts facts = on_cpu(2000, 8000);
	struct apsp_plan plan;

	(void)state;
	apsp_plan_make(&facts, "closure-warshall", &plan);
	assert_ptr_equal(
		strstr(plan.text, "closure-warshall for reachability, as asked "
				  "for; multi-source: "),
		plan.text);
	assert_string_equal(
		plan.closures[plan.closure].name, "closure-warshall");
	apsp_plan_make(&facts, "", &plan);
	assert_int_equal(plan.closure, -1);
	assert_null(strstr(plan.text, "closure"));
}

/* No other closure is advised where the distances have no room either. */
static void test_advice(void **state)
{
	struct apsp_plan_facts facts = on_cpu(1000, 10000);

	(void)state;
	facts.device = apsp_plan_no_device();
	expect_refusal(&facts, "closure-warshall", APSP_ELIMIT,
		"there is no device; algorithm=reference can");
	expect_refusal(&facts, "closure-order", APSP_ELIMIT,
		"there is no device; algorithm=reference can");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_advice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
