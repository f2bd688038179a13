/*
 * Which run counts: each guard of a measurement by itself, since either hides
 * that the other is missing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compute/solve/fastest_run.h"

enum {
	N_RUNS = 4, /* that count */
};

/* Runs that take what they are told; below 0: a run fails. */
struct runs {
	double seconds[1 + N_RUNS];
	int n;
};

static int run(void *what, double *out_s, struct apsp_err *err)
{
	struct runs *runs = what;

	*out_s = runs->seconds[runs->n++];
	return *out_s < 0 ? apsp_fail(err, APSP_EDEVICE, "it failed") : 0;
}

static double fastest(struct runs runs)
{
	double seconds = -1;

	assert_int_equal(
		apsp_fastest_run(run, &runs, N_RUNS, &seconds, NULL), 0);
	assert_int_equal(runs.n, 1 + N_RUNS);
	return seconds;
}

static void test_first_does_not_count(void **state)
{
	(void)state;
	assert_true(fastest((struct runs){{1, 5, 5, 5, 5}}) == 5);
}

/* Wherever the fastest is, and whatever the first took. */
static void test_fastest_counts(void **state)
{
	(void)state;
	assert_true(fastest((struct runs){{9, 2, 5, 6, 7}}) == 2);
	assert_true(fastest((struct runs){{9, 5, 2, 6, 7}}) == 2);
	assert_true(fastest((struct runs){{9, 5, 7, 6, 2}}) == 2);
}

static void test_failure_ends(void **state)
{
	(void)state;
	for (int at = 0; at <= N_RUNS; at++) {
		struct runs runs = {{9, 5, 7, 6, 2}};
		double seconds = 3;
		struct apsp_err err;

		runs.seconds[at] = -1;
		assert_int_equal(
			apsp_fastest_run(run, &runs, N_RUNS, &seconds, &err),
			APSP_EDEVICE);
		assert_int_equal(runs.n, at + 1);
		assert_true(seconds == 3);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_does_not_count),
		cmocka_unit_test(test_fastest_counts),
		cmocka_unit_test(test_failure_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
