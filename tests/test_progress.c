/*
 * What a solver tells of its progress: stages that alternate with each row do
 * not flood the daemon with lines.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compute/progress.h"

enum {
	N_ROWS = 20000,
	LINES_MAX = 2000, /* even where the loop takes a minute */
};

static size_t count(const char *text, const char *word)
{
	size_t n = 0;

	while ((text = strstr(text, word))) {
		text += strlen(word);
		n++;
	}
	return n;
}

static void test_alternating_stages(void **state)
{
	struct apsp_progress progress;
	struct apsp_err err;
	char *told = NULL;
	size_t size = 0;
	FILE *events = open_memstream(&told, &size);

	(void)state;
	assert_non_null(events);
	apsp_progress_init(&progress, events, NULL);
	assert_int_equal(
		apsp_progress_enter(&progress, APSP_PHASE_DISTANCE, &err), 0);
	for (int i = 0; i < N_ROWS; i++) {
		apsp_progress_stage(&progress, APSP_STAGE_DISTANCE);
		apsp_progress_stage(&progress, APSP_STAGE_WRITE);
		assert_int_equal(
			apsp_progress_step(&progress, (i + 1.0) / N_ROWS, &err),
			0);
	}
	fclose(events);
	assert_in_range(count(told, "within "), 1, LINES_MAX);
	assert_in_range(count(told, "progress "), 1, LINES_MAX);
	free(told);
}

/* The time left is the plan's, until a tenth of the work tells the pace. */
static void test_eta(void **state)
{
	const double seconds[APSP_N_JOB_STAGES] = {
		[APSP_JOB_STAGE_DISTANCE] = 6000,
		[APSP_JOB_STAGE_WRITE] = 2000,
		[APSP_JOB_STAGE_SEAL] = 2000,
	};
	struct apsp_progress progress;
	struct apsp_err err;
	double share, eta_s;
	char *told = NULL;
	size_t size = 0;
	FILE *events = open_memstream(&told, &size);

	(void)state;
	assert_non_null(events);
	apsp_progress_init(&progress, events, NULL);
	for (int p = 0; p < APSP_PHASE_DISTANCE; p++)
		progress.weights[p] = 0;
	assert_int_equal(
		apsp_progress_enter(&progress, APSP_PHASE_DISTANCE, &err), 0);
	fflush(events);
	assert_non_null(strstr(told, "progress 0.0000 -1"));
	apsp_progress_cost(&progress, seconds);
	progress.told_at_s = 0;
	assert_int_equal(apsp_progress_step(&progress, 0.1, &err), 0);
	fflush(events);
	assert_int_equal(sscanf(strstr(strstr(told, "-1"), "progress"),
				 "progress %lf %lf", &share, &eta_s),
		2);
	assert_true(share > 0.059 && share < 0.061);
	assert_true(eta_s > 9399 && eta_s < 9401);
	/* half took no time: nor will the rest, but the daemon's is ahead */
	assert_int_equal(apsp_progress_step(&progress, 1, &err), 0);
	fclose(events);
	assert_non_null(strstr(told, "progress 0.6000 "));
	free(told);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alternating_stages),
		cmocka_unit_test(test_eta),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
