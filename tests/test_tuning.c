/*
 * The tuning table: rows are found by name and type, and passed over where the
 * device cannot hold them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compute/plan/tuning.h"
#include "tests/tuning_rules.h"

static const struct apsp_tuning_limits all = {UINT64_MAX, UINT64_MAX};

static void test_by_type(void **state)
{
	(void)state;
	assert_true(apsp_tuning_find("no such device", true, NULL)->gpu);
	assert_false(apsp_tuning_find("no such device", false, NULL)->gpu);
	assert_null(apsp_tuning_find("no such device", true, NULL)->device);
}

/* Every row's own name finds it, whatever the type says. */
static void test_by_name(void **state)
{
	(void)state;
	for (size_t i = 0; i < apsp_tuning_count; i++) {
		const struct apsp_tuning *row = &apsp_tuning_rows[i];

		if (row->device)
			assert_ptr_equal(
				apsp_tuning_find(row->device, !row->gpu, NULL),
				row);
	}
}

static void test_rows_fit_themselves(void **state)
{
	(void)state;
	for (size_t i = 0; i < apsp_tuning_count; i++) {
		const struct apsp_tuning *row = &apsp_tuning_rows[i];
		struct apsp_tuning_limits needs, less;

		apsp_tuning_needs(row, &needs);
		assert_true(tuning_fits(row, &needs));
		less = needs;
		less.group_items--;
		assert_false(tuning_fits(row, &less));
		if (needs.local_bytes == 0)
			continue;
		less = needs;
		less.local_bytes--;
		assert_false(tuning_fits(row, &less));
	}
}

/* A GPU that cannot hold a GPU's row gets the one that needs nothing. */
static void test_small_device(void **state)
{
	const struct apsp_tuning_limits small = {64, 16384}, one = {1, 0};
	const struct apsp_tuning *row =
		apsp_tuning_find("NVIDIA H200", true, &small);

	(void)state;
	assert_true(tuning_fits(row, &small));
	assert_false(row->gpu);
	row = apsp_tuning_find("NVIDIA H200", true, &one);
	assert_true(tuning_fits(row, &one));
	assert_true(apsp_tuning_find("NVIDIA H200", true, &all)->gpu);
}

/* 32 KiB of local memory are all that OpenCL promises. */
static void test_least_local_memory(void **state)
{
	const struct apsp_tuning_limits least = {256, 32768};
	const struct apsp_tuning *row = apsp_tuning_find("Card", true, &least);

	(void)state;
	assert_true(row->gpu);
	assert_true(tuning_fits(row, &least));
	assert_ptr_not_equal(row, apsp_tuning_find("Card", true, NULL));
}

static void test_parts_go_together(void **state)
{
	struct apsp_tuning row = *apsp_tuning_find("", true, NULL);

	(void)state;
	assert_true(tuning_fits(&row, &all));
	row.relax_chunk = 12;
	assert_false(tuning_fits(&row, &all));
	row = *apsp_tuning_find("", true, NULL);
	row.span = 3;
	assert_false(tuning_fits(&row, &all));
	row.span = APSP_TILE;
	row.row_group = 2;
	assert_false(tuning_fits(&row, &all));
	row.row_group = 0;
	assert_false(tuning_fits(&row, &all));
	row = *apsp_tuning_find("", true, NULL);
	for (uint32_t line = 1; line <= 16; line *= 2) {
		row.bits.line = line;
		assert_true(tuning_fits(&row, &all));
	}
	row.bits.line = 32;
	assert_false(tuning_fits(&row, &all));
	row.bits.line = 3;
	assert_false(tuning_fits(&row, &all));
	row = *apsp_tuning_find("", true, NULL);
	row.bf_items = 3;
	assert_false(tuning_fits(&row, &all));
	row.bf_items = 32;
	row.bf_sources = 2 * APSP_TILE;
	assert_false(tuning_fits(&row, &all));
	row.bf_sources = 1;
	row.bf_vertices = 64;
	assert_false(tuning_fits(&row, &all));
	row = *apsp_tuning_find("", true, NULL);
	row.level_lanes = 64;
	assert_false(tuning_fits(&row, &all));
	row.gpu = false;
	row.launch_pushes = 1;
	assert_true(tuning_fits(&row, &all));
	row.level_lanes = 24;
	assert_false(tuning_fits(&row, &all));
	row = *apsp_tuning_find("", false, NULL);
	row.lane_bytes = 96;
	assert_false(tuning_fits(&row, &all));
	row.lane_bytes = 32;
	assert_false(tuning_fits(&row, &all));
	row.lane_bytes = 64;
	assert_true(tuning_fits(&row, &all));
	row.launch_pushes = 0;
	assert_false(tuning_fits(&row, &all));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_type),
		cmocka_unit_test(test_by_name),
		cmocka_unit_test(test_rows_fit_themselves),
		cmocka_unit_test(test_small_device),
		cmocka_unit_test(test_least_local_memory),
		cmocka_unit_test(test_parts_go_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
