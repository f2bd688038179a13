/*
 * What plans refuse, and in which words: sizes that do not fit the device, its
 * buffers or this machine, and sizes that overflow.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "compute/plan/footprint.h"
#include "compute/plan/plan.h"
#include "daemon/job/job_files.h"
#include "tests/plan_fixture.h"

static void test_refusals(void **state)
{
	struct apsp_plan_facts facts = facts_of(100000, 1000000);

	(void)state;
	facts.device.memory_bytes = 30 * GB;
	expect_refusal(&facts, "blocked-fw", APSP_ELIMIT,
		"blocked-fw cannot do 100,000 vertices and 1,000,000 arcs in "
		"i32: it needs 40");
	expect_refusal(&facts, "blocked-fw", APSP_ELIMIT,
		" GB on 'Card', which has 30 GB");
	/* the text names a feasible algorithm */
	expect_refusal(&facts, "blocked-fw", APSP_ELIMIT,
		"; algorithm=multi-source can, in ");
	facts.device.memory_bytes = GB / 100;
	expect_refusal(&facts, "", APSP_ELIMIT, "streamed-fw cannot do ");
	expect_refusal(&facts, "", APSP_ELIMIT, "; algorithm=reference can");
	facts.device.memory_bytes = 30 * GB;
	facts.work.element = APSP_ELEMENT_U16;
	expect_choice(&facts, "multi-source");

	facts.host_bytes = 10 * GB;
	expect_refusal(&facts, "streamed-fw", APSP_ENOMEM,
		"of this machine's memory, which has 10 GB");
	facts.host_bytes = 2 * GB;
	expect_refusal(&facts, "", APSP_ENOMEM,
		"of this machine's memory, which has 2 GB");
	facts.host_bytes = APSP_PLAN_UNKNOWN;
	/* without room for any table, rows are computed when they are asked
	   for, unless the rule names tables */
	facts.work.capacity_bytes = 10 * GB;
	expect_choice(&facts, "rows");
	facts.disk_bytes = 10 * GB;
	facts.work.tables = APSP_TABLES_DISTANCE;
	expect_refusal(&facts, "", APSP_ENOSPACE,
		" GB in the cache, which has room for 10 GB");
	facts.work.tables = APSP_TABLES_NONE;
	facts.disk_bytes = GB / 1000;
	expect_refusal(&facts, "", APSP_ENOSPACE, "rows cannot do ");
	facts.disk_bytes = APSP_PLAN_UNKNOWN;
	expect_choice(&facts, "rows");
	facts.host_bytes = GB / 1000;
	expect_refusal(&facts, "", APSP_ENOMEM, "rows cannot do ");
	facts.host_bytes = APSP_PLAN_UNKNOWN;
	facts.work.tables = APSP_TABLES_AUTO;
	facts.work.capacity_bytes = 0;
	facts.disk_bytes = APSP_PLAN_UNKNOWN;
	expect_choice(&facts, "multi-source");
}

/* What only doubles hold is solved on the host where the device has none. */
static void test_without_doubles(void **state)
{
	struct apsp_plan_facts facts = facts_of(100000, 1000000);
	struct apsp_plan plan;

	(void)state;
	facts.device.lacks_double = true;
	expect_choice(&facts, "multi-source");
	facts.work.element = APSP_ELEMENT_F64;
	expect_choice(&facts, "reference");
	apsp_plan_make(&facts, "", &plan);
	assert_non_null(strstr(plan.text, " estimated on the host, not "));
	assert_non_null(strstr(plan.text,
		": distances past 2^30 units need 64-bit arithmetic"));
	expect_refusal(&facts, "multi-source", APSP_ELIMIT,
		"64-bit arithmetic, which the device does not have; "
		"algorithm=reference can");
	/* nor is anything chosen that has no room */
	facts.host_bytes = GB;
	expect_refusal(&facts, "", APSP_ELIMIT, "need 64-bit arithmetic");
}

/* No buffer may be larger than the device allows. */
static void test_buffers(void **state)
{
	struct apsp_plan_facts facts = facts_of(139255, 15000000);

	(void)state;
	/* 1088 panels of 71 MB: so many together that 256 buffers hold all, and
	   whole pivot blocks of 4 */
	facts.device.largest_buffer_bytes = 571000000;
	expect_choice(&facts, "multi-source");
	facts.device.largest_buffer_bytes = 400000000;
	expect_refusal(&facts, "blocked-fw", APSP_ELIMIT,
		"it needs 570 MB in one buffer on 'Card', which allows 400 MB");
	expect_feasible(&facts, "streamed-fw");
	/* a window needs no more than a pivot block in each */
	expect_choice(&facts, "multi-source");
	facts.device.largest_buffer_bytes = 128 << 20;
	expect_refusal(&facts, "streamed-fw", APSP_ELIMIT,
		"it needs 357 MB in one buffer on 'Card', which allows 134 MB");
	expect_choice(&facts, "multi-source");
	facts.device.largest_buffer_bytes = 64 << 20;
	expect_refusal(&facts, "multi-source", APSP_ELIMIT,
		"it needs 71.3 MB in one buffer on 'Card', which allows 67.1 "
		"MB");
	expect_refusal(&facts, "", APSP_ELIMIT, "which allows 67.1 MB");
}

/* If nothing fits, the refusal names an algorithm that the rule allows. */
static void test_widest(void **state)
{
	struct apsp_plan_facts facts = facts_of(300000, 3000000);

	(void)state;
	facts.work.widest = true;
	facts.work.tables = APSP_TABLES_DISTANCE;
	facts.disk_bytes = 100 * GB;
	expect_refusal(&facts, "", APSP_ENOSPACE, " in the cache, which has");
	facts.disk_bytes = APSP_PLAN_UNKNOWN;
	facts.device.memory_bytes = GB / 100;
	facts.host_bytes = GB;
	expect_refusal(&facts, "", APSP_ELIMIT, " on 'Card', which has 10 MB");
}

/* The arcs' lengths lie in one buffer; wider lengths need a larger one. */
static void test_arcs_buffer(void **state)
{
	struct apsp_plan_facts facts = facts_of(50000, 1000 * 1000 * 1000);
	struct apsp_plan plan;

	(void)state;
	facts.device.largest_buffer_bytes = 4 * GB;
	apsp_plan_make(&facts, "", &plan);
	for (int i = 0; i < APSP_N_ALGORITHMS; i++)
		assert_true(plan.algorithms[i].feasible ==
			    (i != APSP_ALGORITHM_BFS_LEVELS));
	facts.device.largest_buffer_bytes--;
	expect_refusal(&facts, "", APSP_ELIMIT,
		"it needs 4000000000 bytes in one buffer on 'Card', which "
		"allows 3999999999 bytes");
	apsp_plan_make(&facts, "", &plan);
	for (int i = 0; i < APSP_N_ALGORITHMS; i++)
		assert_true(plan.algorithms[i].feasible ==
			    (i == APSP_ALGORITHM_REFERENCE));
	facts.device.largest_buffer_bytes++;
	facts.work.element = APSP_ELEMENT_F64;
	expect_refusal(&facts, "fw", APSP_ELIMIT,
		"it needs 8 GB in one buffer on 'Card', which allows 4 GB");
}

/* A closure that is asked for needs room too; another may fit. */
static void test_closures(void **state)
{
	struct apsp_plan_facts facts = facts_of(100000, 1000000);
	struct apsp_plan plan;

	(void)state;
	/* 1.25 GB of rows, twice for squaring */
	facts.device.largest_buffer_bytes = 1300000000;
	expect_feasible(&facts, "closure-warshall");
	facts.device.largest_buffer_bytes = GB;
	facts.work.element = APSP_ELEMENT_U16;
	expect_refusal(&facts, "closure-warshall", APSP_ELIMIT,
		"closure-warshall cannot do 100,000 vertices and 1,000,000 "
		"arcs in u16: it needs 1.25 GB in one buffer on 'Card', which "
		"allows 1 GB; algorithm=closure-order can");
	/* on the host, because the device has no room */
	expect_feasible(&facts, "closure-order");
	expect_feasible(&facts, "");
	facts.device.largest_buffer_bytes = 35 * GB;
	facts.device.memory_bytes = 2 * GB;
	expect_refusal(&facts, "closure-squaring", APSP_ELIMIT,
		"it needs 2.51 GB on 'Card', which has 2 GB");
	expect_feasible(&facts, "closure-warshall");
	apsp_plan_make(&facts, "", &plan);
	assert_string_equal(plan.closures[1].name, "closure-squaring");
	assert_false(plan.closures[1].feasible);
	assert_true(plan.closures[2].feasible);
	assert_true(isnan(plan.closures[2].seconds));
}

/* The largest graph there may be is refused, and its sizes do not overflow. */
static void test_largest(void **state)
{
	const uint64_t n = 1 << 20, m = UINT64_C(1) << 31;
	struct apsp_plan_facts facts = facts_of(n, m);
	struct apsp_plan plan;

	(void)state;
	facts.work.element = facts.work.distance = APSP_ELEMENT_F64;
	facts.work.tables = APSP_TABLES_ALL;
	apsp_plan_make(&facts, "", &plan);
	assert_int_equal(plan.choice, -1);
	for (int i = 0; i < APSP_N_ALGORITHMS; i++) {
		const struct apsp_estimate *e = &plan.algorithms[i];
		bool whole = e->rows == n && i != APSP_ALGORITHM_STREAMED_FW;

		assert_in_range(e->disk_bytes, n * n * 12, n * n * 16);
		assert_in_range(e->host_bytes, m * 8, n * n * 64);
		if (whole && i != APSP_ALGORITHM_REFERENCE)
			assert_in_range(e->device_bytes, n * n * 8, n * n * 64);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_without_doubles),
		cmocka_unit_test(test_buffers),
		cmocka_unit_test(test_widest),
		cmocka_unit_test(test_arcs_buffer),
		cmocka_unit_test(test_closures),
		cmocka_unit_test(test_largest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
