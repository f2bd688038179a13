/*
 * What counts of a run that other programs interrupt: here one that only waits,
 * as if they had taken its processor.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "compute/device/device.h"
#include "compute/solve/run_clock.h"

enum {
	MANY = 1 << 20, /* interruptions */
};

/* Wait; interrupted: how often the run says that it was, or -MANY: never. */
static double share_of(bool host_memory, long interrupted, double *out_s)
{
	const struct timespec wait = {.tv_nsec = 50000000};
	const struct apsp_device device = {
		.host_memory = host_memory, .info = {.compute_units = 2}};
	struct apsp_run_clock clock = apsp_run_clock_begin(&device);

	clock.interrupted -= interrupted;
	nanosleep(&wait, NULL);
	return apsp_run_clock_end(&clock, out_s);
}

static void test_interrupted(void **state)
{
	double seconds;

	(void)state;
	assert_true(share_of(true, MANY, &seconds) < 0.9);
	assert_true(seconds >= 0 && seconds < 0.05);
}

static void test_alone(void **state)
{
	double seconds;

	(void)state;
	assert_true(share_of(true, -MANY, &seconds) == 1);
	assert_true(seconds >= 0.05);
	/* a GPU computes whatever the host's processors do */
	assert_true(share_of(false, MANY, &seconds) == 1);
	assert_true(seconds >= 0.05);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_interrupted),
		cmocka_unit_test(test_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
