/*
 * Windows of rows: they follow each other without gaps, begin at multiples of
 * the unit, keep their bounds, and grow no larger towards the end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "compute/group/row_windows.h"

static void check(uint32_t n_rows, uint32_t size, uint32_t unit, uint32_t least,
	uint32_t most)
{
	struct apsp_row_windows w;
	uint32_t next = 0, bound = most < unit ? unit : most;

	apsp_row_windows_make(n_rows, size, unit, least, most, &w);
	assert_non_null(w.windows);
	for (uint32_t i = 0; i < w.n; i++) {
		const struct apsp_row_window *at = &w.windows[i];

		assert_int_equal(at->first, next);
		assert_int_equal(at->first % unit, 0);
		assert_in_range(at->n_rows, 1, bound);
		if (i + 1 < w.n) {
			assert_int_equal(at->n_rows % unit, 0);
			assert_true(
				at->n_rows >= (least < most ? least : unit));
		}
		if (i > 0)
			assert_true(at->n_rows <= w.windows[i - 1].n_rows);
		next += at->n_rows;
	}
	assert_int_equal(next, n_rows);
	free(w.windows);
}

static void test_shapes(void **state)
{
	static const uint32_t rows[] = {1, 63, 64, 65, 1000, 12529, 138598};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (uint32_t size = 1; size <= 9; size++)
			for (uint32_t unit = 1; unit <= 576; unit = unit * 9) {
				check(rows[i], size, unit, 1, rows[i]);
				check(rows[i], size, unit, 128, 4096);
				check(rows[i], size, unit, 4096, 128);
				check(rows[i], size, unit, unit, unit);
			}
}

/* The last windows are so small that no process is left to work alone for
   long. */
static void test_end(void **state)
{
	struct apsp_row_windows w;

	(void)state;
	apsp_row_windows_make(12529, 8, 64, 64, 12529, &w);
	assert_non_null(w.windows);
	assert_true(w.windows[0].n_rows >= 12529 / 8 / 2);
	assert_true(w.windows[w.n - 2].n_rows == 64);
	assert_true(w.n < 80);
	free(w.windows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
