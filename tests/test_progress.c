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
#include <time.h>

#include <cmocka.h>
#include <math.h>

#include "compute/progress.h"

enum {
	N_ROWS = 20000,
	LINES_MAX = 2000, /* even where the loop takes a minute */
};

/* Not 0: the time that all clocks tell. */
static double fake_now_s;

/* Stands before the one of the C library. */
int clock_gettime(clockid_t clock, struct timespec *out)
{
	struct timespec now;

	if (fake_now_s == 0) {
		timespec_get(&now, TIME_UTC);
		(void)clock;
	} else {
		now.tv_sec = (time_t)fake_now_s;
		now.tv_nsec = (long)((fake_now_s - floor(fake_now_s)) * 1e9);
	}
	*out = now;
	return 0;
}

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
		apsp_progress_enter(&progress, APSP_STAGE_DISTANCE, &err), 0);
	for (int i = 0; i < N_ROWS; i++) {
		apsp_progress_stage(&progress, APSP_STAGE_DISTANCE);
		apsp_progress_stage(&progress, APSP_STAGE_WRITE);
		assert_int_equal(
			apsp_progress_step(&progress, (i + 1.0) / N_ROWS, &err),
			0);
	}
	fclose(events);
	assert_in_range(count(told, "within "), 1, LINES_MAX);
	assert_in_range(count(told, "share "), 1, LINES_MAX);
	free(told);
}

/* Each stage gets the seconds that are spent in it. */
static void test_stages(void **state)
{
	struct apsp_progress progress;
	const double *seconds = progress.stages.seconds;

	(void)state;
	fake_now_s = 1000;
	apsp_progress_init(&progress, NULL, NULL);
	fake_now_s++;
	apsp_progress_stage(&progress, APSP_STAGE_DISTANCE);
	fake_now_s++;
	fake_now_s++;
	apsp_progress_stage(&progress, APSP_STAGE_READ);
	fake_now_s++;
	apsp_progress_stage(&progress, APSP_STAGE_READ);
	assert_true(seconds[APSP_STAGE_READ] == 2);
	assert_true(seconds[APSP_STAGE_DISTANCE] == 2);
	fake_now_s = 0;
}

/* The time left is the plan's, until steps tell the pace. */
static void test_eta(void **state)
{
	const double seconds[APSP_N_STAGES] = {
		[APSP_STAGE_DISTANCE] = 6000,
		[APSP_STAGE_WRITE] = 2000,
		[APSP_STAGE_SEAL] = 2000,
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
	for (int p = 0; p < APSP_STAGE_DISTANCE; p++)
		progress.weights[p] = 0;
	assert_int_equal(
		apsp_progress_enter(&progress, APSP_STAGE_DISTANCE, &err), 0);
	fflush(events);
	assert_non_null(strstr(told, "share 0.0000 left -1"));
	apsp_progress_cost(&progress, seconds, true);
	progress.reported_at_s = 0;
	assert_int_equal(apsp_progress_step(&progress, 0.1, &err), 0);
	fflush(events);
	assert_int_equal(sscanf(strstr(strstr(told, "-1"), "share"),
				 "share %lf left %lf", &share, &eta_s),
		2);
	assert_true(share > 0.059 && share < 0.061);
	assert_true(eta_s > 9399 && eta_s < 9401);
	/* half took no time: nor will the rest, but the daemon's is ahead */
	assert_int_equal(apsp_progress_step(&progress, 1, &err), 0);
	fclose(events);
	assert_non_null(strstr(told, "share 0.6000 "));
	free(told);
}

/* The last time left that was told. */
static double eta_told(FILE *events, char **told)
{
	const char *line = NULL, *at;
	double share, eta_s;

	fflush(events);
	for (at = *told; (at = strstr(at, "share ")); at++)
		line = at;
	assert_non_null(line);
	assert_int_equal(sscanf(line, "share %lf left %lf", &share, &eta_s), 2);
	return eta_s;
}

/*
 * A job of 100 s by its plan, on a machine on which each of these takes `slow`
 * seconds, after silence_s in which kernels are compiled. The time left is less
 * and less wrong while the work goes on, and never because of the silence.
 */
static void check_pace(double slow, double silence_s)
{
	enum { STEPS = 200 };
	const double seconds[APSP_N_STAGES] = {
		[APSP_STAGE_DISTANCE] = 60,
		[APSP_STAGE_WRITE] = 30,
		[APSP_STAGE_SEAL] = 10,
	};
	struct apsp_progress progress;
	struct apsp_err err;
	char *told = NULL;
	size_t size = 0;
	FILE *events = open_memstream(&told, &size);
	double behind = 0, error = INFINITY;

	assert_non_null(events);
	fake_now_s = 1000;
	apsp_progress_init(&progress, events, NULL);
	for (int p = 0; p < APSP_STAGE_DISTANCE; p++)
		progress.weights[p] = 0;
	apsp_progress_cost(&progress, seconds, true);
	for (int p = APSP_STAGE_DISTANCE; p <= APSP_STAGE_PREDECESSOR; p++) {
		double all = p == APSP_STAGE_DISTANCE ? 60 : 30;

		assert_int_equal(apsp_progress_enter(
					 &progress, (enum apsp_stage)p, &err),
			0);
		/* kernels may have to be compiled: nobody knows how long */
		if (p == APSP_STAGE_DISTANCE)
			assert_true(eta_told(events, &told) == -1);
		fake_now_s += silence_s;
		for (int i = 1; i <= STEPS; i++) {
			double left, now_error, eta_s;

			fake_now_s += slow * all / STEPS;
			assert_int_equal(apsp_progress_step(&progress,
						 (double)i / STEPS, &err),
				0);
			eta_s = eta_told(events, &told);
			if (eta_s < 0)
				continue;
			left = slow * (100 - behind - all * i / STEPS);
			now_error = fabs(eta_s - left);
			if (now_error > error + 0.1)
				fail_msg("%g s wrong at %d of %d, %g before",
					now_error, i, p, error);
			error = now_error;
		}
		behind += all;
		assert_true(error < 0.2 * slow * (100 - behind));
	}
	fclose(events);
	free(told);
	fake_now_s = 0;
}

static void test_pace(void **state)
{
	static const double silences_s[] = {0, 20, 2000};

	(void)state;
	for (int i = 0; i < 3; i++) {
		check_pace(1, silences_s[i]);
		check_pace(10, silences_s[i]);
		check_pace(0.2, silences_s[i]);
	}
}

/* The rows of two processes. */
static struct {
	double own;
	double other;
	bool stopped; /* the other process has stopped */
} two;

static bool two_advance(double share, double *out_all)
{
	two.own = share;
	*out_all = two.own + two.other;
	return !two.stopped;
}

/* The share that was reported last. */
static double share_told(FILE *events, char **told)
{
	const char *line = NULL, *at;
	double share;

	fflush(events);
	for (at = *told; (at = strstr(at, "share ")); at++)
		line = at;
	assert_non_null(line);
	assert_int_equal(sscanf(line, "share %lf", &share), 1);
	return share;
}

/*
 * Another process computes the first half of the rows, and this one the third
 * quarter: the job's share and its pace count both.
 */
static void test_other_rows(void **state)
{
	const double seconds[APSP_N_STAGES] = {
		[APSP_STAGE_DISTANCE] = 60,
		[APSP_STAGE_WRITE] = 20,
		[APSP_STAGE_SEAL] = 20,
	};
	struct apsp_progress progress;
	struct apsp_err err;
	char *told = NULL;
	size_t size = 0;
	FILE *events = open_memstream(&told, &size);

	(void)state;
	assert_non_null(events);
	fake_now_s = 1000;
	apsp_progress_init(&progress, events, NULL);
	progress.weights[APSP_STAGE_READ] = 0;
	apsp_progress_cost(&progress, seconds, true);
	progress.advance = two_advance;
	assert_int_equal(
		apsp_progress_enter(&progress, APSP_STAGE_DISTANCE, &err), 0);
	progress.skipped = 0.5;
	fake_now_s += 10;
	assert_int_equal(apsp_progress_step(&progress, 0.75, &err), 0);
	assert_true(fabs(two.own - 0.25 * 60 / 80) < 1e-6);
	assert_true(fabs(share_told(events, &told) - 0.15) < 1e-3);
	apsp_progress_turn(&progress, APSP_STAGE_PREDECESSOR);
	fake_now_s += 10;
	two.other = 0.5;
	assert_int_equal(apsp_progress_step(&progress, 0.75, &err), 0);
	assert_true(fabs(two.own - 0.25) < 1e-6);
	assert_true(fabs(share_told(events, &told) - 0.6) < 1e-3);
	/* while this process waits, the other one computes the rest */
	fake_now_s += 10;
	two.other = 0.75;
	apsp_progress_again(&progress);
	assert_true(fabs(share_told(events, &told) - 0.8) < 1e-3);
	/* the rows of this process are useless if the other one stops */
	fake_now_s += 10;
	two.stopped = true;
	assert_int_equal(
		apsp_progress_step(&progress, 0.75, &err), APSP_ECANCELLED);
	two.stopped = false;
	fake_now_s -= 10;
	/* the last 20 s at the pace of two processes */
	assert_true(eta_told(events, &told) < 20);
	fclose(events);
	free(told);
	fake_now_s = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alternating_stages),
		cmocka_unit_test(test_stages),
		cmocka_unit_test(test_eta),
		cmocka_unit_test(test_pace),
		cmocka_unit_test(test_other_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
