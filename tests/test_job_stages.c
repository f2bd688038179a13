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

#include "daemon/base/clock.h"
#include "daemon/job/job_stages.h"

static double sum_of(const struct apsp_job_stages *stages)
{
	double sum = 0;

	for (int s = 0; s < APSP_N_STAGES; s++)
		sum += stages->seconds[s];
	return sum;
}

static void test_adds_up(void **state)
{
	double begin_s = apsp_clock_s() - 5; /* five seconds have passed */
	struct apsp_job_stages stages = {.since_s = begin_s};
	struct apsp_job_stages told = {0};

	(void)state;
	told.seconds[APSP_STAGE_READ] = 1;
	told.seconds[APSP_STAGE_WRITE] = 2.5;
	/* a part of what the others leave */
	told.seconds[APSP_STAGE_OPEN] = 0.5;
	apsp_job_stages_solved(&stages, &told);
	apsp_job_stages_end(&stages, APSP_STAGE_SEAL);
	apsp_job_stages_end(&stages, APSP_STAGE_PUBLISH);
	assert_true(stages.seconds[APSP_STAGE_READ] == 1);
	assert_true(stages.seconds[APSP_STAGE_WRITE] == 2.5);
	assert_true(stages.seconds[APSP_STAGE_OPEN] >= 1.5);
	assert_true(fabs(sum_of(&stages) - (stages.since_s - begin_s)) < 1e-6);
}

static void test_nobody_measures(void **state)
{
	struct apsp_job_stages stages = {0};

	(void)state;
	apsp_job_stages_end(&stages, APSP_STAGE_SEAL);
	assert_true(sum_of(&stages) == 0);
	assert_true(stages.since_s > 0);
}

/* The solver may round what it tells. */
static void test_tells_too_much(void **state)
{
	struct apsp_job_stages stages = {.since_s = apsp_clock_s()};
	struct apsp_job_stages told = {0};

	(void)state;
	told.seconds[APSP_STAGE_READ] = 7;
	apsp_job_stages_solved(&stages, &told);
	assert_true(stages.seconds[APSP_STAGE_OPEN] == 0);
}

static void test_text(void **state)
{
	struct apsp_job_stages in = {0}, out;
	char text[APSP_JOB_STAGES_TEXT_SIZE];

	(void)state;
	apsp_job_stages_format(&in, text);
	assert_string_equal(text, "");
	in.seconds[APSP_STAGE_STORE] = 0.25;
	in.seconds[APSP_STAGE_SELF_TEST] = 12.5;
	apsp_job_stages_format(&in, text);
	assert_string_equal(text, "store 0.250000 self_test 12.500000");
	/* a month in each stage has room */
	for (int s = 0; s < APSP_N_STAGES; s++)
		in.seconds[s] = 2592000.25 + s;
	apsp_job_stages_format(&in, text);
	apsp_job_stages_parse(text, &out);
	for (int s = 0; s < APSP_N_STAGES; s++)
		assert_true(out.seconds[s] == in.seconds[s]);
}

static void test_other_text(void **state)
{
	struct apsp_job_stages out;

	(void)state;
	apsp_job_stages_parse("read 1 later 3 write 2 seal nan open -1", &out);
	assert_true(out.seconds[APSP_STAGE_READ] == 1);
	assert_true(out.seconds[APSP_STAGE_WRITE] == 2);
	assert_true(sum_of(&out) == 3);
	apsp_job_stages_parse("read one write 2", &out);
	assert_true(sum_of(&out) == 2);
	apsp_job_stages_parse("anamethatislongerthananyofours 1", &out);
	assert_true(sum_of(&out) == 0);
}

/* Clients know a phase by its word; each stage of the solver is in one. */
static void test_phases(void **state)
{
	static const char *const phases[] = {"read", "lengths", "closure",
		"distance", "predecessor", "betweenness"};

	(void)state;
	for (int s = APSP_STAGE_READ; s <= APSP_STAGE_MEASURE; s++) {
		enum apsp_stage phase = apsp_stage_phase((enum apsp_stage)s);
		const char *name = apsp_stage_phase_name(phase);
		size_t i = 0;

		assert_int_equal(apsp_stage_phase(phase), phase);
		while (i < 6 && strcmp(phases[i], name) != 0)
			i++;
		assert_true(i < 6);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_adds_up),
		cmocka_unit_test(test_nobody_measures),
		cmocka_unit_test(test_tells_too_much),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_other_text),
		cmocka_unit_test(test_phases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
