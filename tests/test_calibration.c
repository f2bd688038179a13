/*
 * The rates of the device at hand are measured, kept and read again.
 */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <cmocka.h>

#include "compute/solve/calibration.h"
#include "compute/solve/kept_rates.h"
#include "compute/plan/plan.h"
#include "tests/device_fixture.h"

/*
 * Only the kept file gets a name, so that a killed measurement leaves no other.
 * On filesystems without unnamed files, files have a name for a moment.
 */
static void names_check(int watch)
{
	static char events[1 << 16]
		__attribute__((aligned(__alignof__(struct inotify_event))));
	unsigned int n_names = 0;
	ssize_t size;

	while ((size = read(watch, events, sizeof(events))) > 0)
		for (const char *at = events; at < events + size;) {
			const struct inotify_event *event = (const void *)at;
			const char *key = strrchr(event->name, '-');

			n_names++;
			if (strncmp(event->name, "unnamed.", 8) != 0 &&
				(!key || strspn(key + 1, "0123456789abcdef") <
						 16))
				fail_msg("'%s' was made", event->name);
			at += sizeof(*event) + event->len;
		}
	assert_true(n_names > 0);
	close(watch);
}

static void test_rates(void **state)
{
	struct device_fixture *fixture = *state;
	const struct apsp_device *device = &fixture->device;
	struct apsp_rates rates, kept, defaults;
	char text[APSP_RATES_TEXT_SIZE], again[APSP_RATES_TEXT_SIZE];
	struct apsp_err err;
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	assert_true(watch >= 0);
	assert_true(inotify_add_watch(watch, fixture->dir, IN_CREATE) >= 0);
	apsp_kept_rates_load(device, &kept);
	assert_false(kept.measured);
	if (apsp_calibration_run(device, NULL, &rates, &err) < 0)
		fail_msg("%s", err.message);
	assert_true(rates.measured);
	apsp_rates_default(device->tuning->gpu, &defaults);
	for (int i = 0; i < APSP_RATE_ROWS; i++)
		for (int e = 0; e < APSP_RATE_ELEMENTS; e++) {
			const struct apsp_rate *rate = &rates.rows[i][e];

			/* only rates of algorithms that compete are measured */
			assert_int_equal(
				rate->operation_s !=
					defaults.rows[i][e].operation_s,
				apsp_rates_name(i) != NULL);
			assert_true(rate->operation_s >= 0);
			assert_true(rate->operation_s < 1e-6);
			assert_true(rate->step_s >= 0 && rate->step_s < 1);
		}
	assert_true(rates.arc_s > 0 && rates.pair_s > 0);
	names_check(watch);
	apsp_kept_rates_load(device, &kept);
	assert_true(kept.measured);
	apsp_rates_format(&rates, text);
	apsp_rates_format(&kept, again);
	assert_string_equal(text, again);
}

/* Nothing is measured once a stop is asked for. */
static void test_stop(void **state)
{
	struct device_fixture *fixture = *state;
	const struct apsp_stop stop = {APSP_STOP_YIELD, NULL};
	struct apsp_rates rates;
	struct apsp_err err;

	assert_int_equal(
		apsp_calibration_run(&fixture->device, &stop, &rates, &err),
		APSP_ECANCELLED);
}

/* Rates of another driver are not used. */
static void test_identity(void **state)
{
	struct device_fixture *fixture = *state;
	struct apsp_device other = fixture->device;
	struct apsp_tuning tuning;
	struct apsp_rates rates;
	cpu_set_t all, one;
	char name[] = "another";

	apsp_kept_rates_load(&fixture->device, &rates);
	assert_true(rates.measured);
	other.identity = name;
	apsp_kept_rates_load(&other, &rates);
	assert_false(rates.measured);
	/* nor of another tuning, nor of other processors */
	other = fixture->device;
	tuning = *other.tuning;
	tuning.launch_arcs++;
	other.tuning = &tuning;
	apsp_kept_rates_load(&other, &rates);
	assert_false(rates.measured);
	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	CPU_ZERO(&one);
	for (int cpu = 0; CPU_COUNT(&one) == 0; cpu++)
		if (CPU_ISSET(cpu, &all))
			CPU_SET(cpu, &one);
	if (CPU_EQUAL(&one, &all))
		return;
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	apsp_kept_rates_load(&fixture->device, &rates);
	assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
	assert_false(rates.measured);
}

/* What is proved here does not depend on how large the graphs are. */
static int setup_smaller(void **state)
{
	static struct apsp_tuning tuning;
	struct device_fixture *fixture;
	int r = device_fixture_setup_keeping(state);

	if (r != 0)
		return r;
	fixture = *state;
	tuning = *fixture->device.tuning;
	tuning.calibration_vertices = 2048;
	fixture->device.tuning = &tuning;
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rates),
		cmocka_unit_test(test_stop),
		cmocka_unit_test(test_identity),
	};

	return cmocka_run_group_tests(
		tests, setup_smaller, device_fixture_teardown);
}
