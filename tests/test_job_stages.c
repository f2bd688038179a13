/*
 * A job's timeline: stages add up to the time that passed, and their text is
 * read back.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compute/stage_clock.h"
#include "daemon/base/clock.h"
#include "daemon/base/job_stages.h"

static double sum_of(const struct apsp_job_stages *stages)
{
	double sum = 0;

	for (int s = 0; s < APSP_N_JOB_STAGES; s++)
		sum += stages->seconds[s];
	return sum;
}

static void test_adds_up(void **state)
{
	double begin_s = apsp_clock_s() - 5; /* five seconds have passed */
	struct apsp_job_stages stages = {.since_s = begin_s};
	struct apsp_job_stages told = {0};

	(void)state;
	told.seconds[APSP_JOB_STAGE_READ] = 1;
	told.seconds[APSP_JOB_STAGE_WRITE] = 2.5;
	/* a part of what the others leave */
	told.seconds[APSP_JOB_STAGE_OPEN] = 0.5;
	apsp_job_stages_solved(&stages, &told);
	apsp_job_stages_end(&stages, APSP_JOB_STAGE_SEAL);
	apsp_job_stages_end(&stages, APSP_JOB_STAGE_PUBLISH);
	assert_true(stages.seconds[APSP_JOB_STAGE_READ] == 1);
	assert_true(stages.seconds[APSP_JOB_STAGE_WRITE] == 2.5);
	assert_true(stages.seconds[APSP_JOB_STAGE_OPEN] >= 1.5);
	assert_true(fabs(sum_of(&stages) - (stages.since_s - begin_s)) < 1e-6);
}

static void test_nobody_measures(void **state)
{
	struct apsp_job_stages stages = {0};

	(void)state;
	apsp_job_stages_end(&stages, APSP_JOB_STAGE_SEAL);
	assert_true(sum_of(&stages) == 0);
	assert_true(stages.since_s > 0);
}

/* The solver may round what it tells. */
static void test_tells_too_much(void **state)
{
	struct apsp_job_stages stages = {.since_s = apsp_clock_s()};
	struct apsp_job_stages told = {0};

	(void)state;
	told.seconds[APSP_JOB_STAGE_READ] = 7;
	apsp_job_stages_solved(&stages, &told);
	assert_true(stages.seconds[APSP_JOB_STAGE_OPEN] == 0);
}

static void test_text(void **state)
{
	struct apsp_job_stages in = {0}, out;
	char text[APSP_JOB_STAGES_TEXT_SIZE];

	(void)state;
	apsp_job_stages_format(&in, text);
	assert_string_equal(text, "");
	in.seconds[APSP_JOB_STAGE_STORE] = 0.25;
	in.seconds[APSP_JOB_STAGE_SELF_TEST] = 12.5;
	apsp_job_stages_format(&in, text);
	assert_string_equal(text, "store 0.250000 self_test 12.500000");
	/* a month in each stage has room */
	for (int s = 0; s < APSP_N_JOB_STAGES; s++)
		in.seconds[s] = 2592000.25 + s;
	apsp_job_stages_format(&in, text);
	apsp_job_stages_parse(text, &out);
	for (int s = 0; s < APSP_N_JOB_STAGES; s++)
		assert_true(out.seconds[s] == in.seconds[s]);
}

static void test_other_text(void **state)
{
	struct apsp_job_stages out;

	(void)state;
	apsp_job_stages_parse("read 1 later 3 write 2 seal nan open -1", &out);
	assert_true(out.seconds[APSP_JOB_STAGE_READ] == 1);
	assert_true(out.seconds[APSP_JOB_STAGE_WRITE] == 2);
	assert_true(sum_of(&out) == 3);
	apsp_job_stages_parse("read one write 2", &out);
	assert_true(sum_of(&out) == 0);
	apsp_job_stages_parse("anamethatislongerthananyofours 1", &out);
	assert_true(sum_of(&out) == 0);
}

/* Every stage of the solver has its place in the timeline. */
static void test_solver_stages(void **state)
{
	struct apsp_stage_clock clock = {0};
	struct apsp_job_stages told;

	(void)state;
	for (int s = 0; s < APSP_N_STAGES; s++)
		clock.seconds[s] = 1 << s;
	apsp_stage_clock_tell(&clock, &told);
	assert_true(sum_of(&told) == (1 << APSP_N_STAGES) - 1);
	for (int s = APSP_JOB_STAGE_OPEN; s <= APSP_JOB_STAGE_MEASURE; s++)
		assert_true(told.seconds[s] > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_adds_up),
		cmocka_unit_test(test_nobody_measures),
		cmocka_unit_test(test_tells_too_much),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_other_text),
		cmocka_unit_test(test_solver_stages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
