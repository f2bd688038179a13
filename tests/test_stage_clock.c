/*
 * The clock of stages: what is spent counts for the stage it was spent in.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "compute/stage_clock.h"

static void spend(void *ctx)
{
	const struct timespec t = {.tv_nsec = 2000000};

	(void)ctx;
	nanosleep(&t, NULL);
}

static void test_attribution(void **state)
{
	struct apsp_stage_clock stages;

	(void)state;
	apsp_stage_clock_init(&stages);
	spend(NULL);
	apsp_stage_clock_enter(&stages, APSP_STAGE_DISTANCE);
	spend(NULL);
	spend(NULL);
	apsp_stage_clock_enter(&stages, APSP_STAGE_READ);
	spend(NULL);
	apsp_stage_clock_enter(&stages, APSP_STAGE_READ);
	assert_true(stages.seconds[APSP_STAGE_READ] >= 0.004);
	assert_true(stages.seconds[APSP_STAGE_DISTANCE] >= 0.004);
	assert_true(stages.seconds[APSP_STAGE_WRITE] == 0);
}

/* What settles at a border belongs to the stage that is left. */
static void test_settle(void **state)
{
	struct apsp_stage_clock stages;

	(void)state;
	apsp_stage_clock_init(&stages);
	apsp_stage_clock_enter(&stages, APSP_STAGE_UPLOAD);
	stages.settle = spend;
	apsp_stage_clock_enter(&stages, APSP_STAGE_WRITE);
	assert_true(stages.seconds[APSP_STAGE_UPLOAD] >= 0.002);
	assert_true(stages.seconds[APSP_STAGE_WRITE] == 0);
}

static void test_describe(void **state)
{
	struct apsp_stage_clock stages = {0};
	char text[512], little[8];

	(void)state;
	stages.seconds[APSP_STAGE_CLOSURE] = 0.25;
	apsp_stage_clock_describe(&stages, text, sizeof(text));
	assert_non_null(
		strstr(text, "read 0.000 s, open 0.000 s, closure 0.250 s, "));
	assert_string_equal(text + strlen(text) - 15, "measure 0.000 s");
	apsp_stage_clock_describe(&stages, little, sizeof(little));
	assert_string_equal(little, "read 0.");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_attribution),
		cmocka_unit_test(test_settle),
		cmocka_unit_test(test_describe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
