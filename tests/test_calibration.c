/*
 * What plans are made with, against the device at hand: the bytes that
 * algorithms say they take, and rates that were measured, kept and read again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <cmocka.h>

#include "compute/algorithm.h"
#include "compute/calibration.h"
#include "compute/footprint.h"
#include "compute/plan.h"
#include "compute/streamed_plan.h"
#include "tests/device_fixture.h"

enum {
	AFTER = 1000,
};

static const enum apsp_element elements[] = {
	APSP_ELEMENT_U16, APSP_ELEMENT_I32, APSP_ELEMENT_F64};

/* Arcs and rows apart, as the solver counts them. */
static uint64_t own_bytes(const struct apsp_algorithm *algorithm,
	const struct apsp_workload *work, const struct apsp_tuning *tuning)
{
	uint32_t n = (uint32_t)work->n_vertices;
	uint64_t bytes = AFTER;

	if (algorithm->start == APSP_START_HOST)
		return 0;
	if (algorithm->start == APSP_START_STREAMED)
		return apsp_streamed_fw_bytes(n, work->element, AFTER);
	if (algorithm->more_bytes)
		bytes += algorithm->more_bytes(
			n, work->n_arcs, work->element, tuning);
	return bytes + apsp_panels_bytes(n, work->element);
}

static void bytes_compare(
	const struct apsp_workload *work, const struct apsp_tuning *tuning)
{
	for (int i = 0; i < APSP_COST_IDS; i++) {
		const struct apsp_cost *cost = &apsp_costs[i];
		const struct apsp_algorithm *algorithm =
			apsp_algorithm_find(cost->name);
		uint64_t counted = cost->device_bytes ? cost->device_bytes(work,
								tuning, AFTER)
						      : 0;
		uint64_t own = own_bytes(algorithm, work, tuning);

		if (counted >= own && counted <= own + own / 50 + 4096)
			continue;
		fail_msg("%s takes %llu bytes, not %llu: %llu vertices, %llu "
			 "arcs, %s, gpu %d",
			cost->name, (unsigned long long)own,
			(unsigned long long)counted,
			(unsigned long long)work->n_vertices,
			(unsigned long long)work->n_arcs,
			apsp_element_name(work->element), tuning->gpu);
	}
}

static void test_bytes(void **state)
{
	static const uint32_t sizes[] = {1, 128, 1000, 20000, 139255};

	(void)state;
	for (size_t t = 0; t < apsp_tuning_count; t++)
		for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++)
			for (int e = 0; e < 3; e++) {
				struct apsp_workload work = {
					.n_vertices = sizes[s],
					.n_arcs = 3 * (uint64_t)sizes[s],
					.element = elements[e],
				};

				bytes_compare(&work, &apsp_tuning_rows[t]);
				work.n_arcs = 100 * (uint64_t)sizes[s];
				bytes_compare(&work, &apsp_tuning_rows[t]);
			}
}

/*
 * Only what is kept was given a name: a killed measurement leaves nothing else.
 * Where there are no unnamed files, they have a name for a moment.
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
	struct apsp_rates rates, kept;
	char text[APSP_RATES_TEXT_SIZE], again[APSP_RATES_TEXT_SIZE];
	struct apsp_err err;
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	assert_true(watch >= 0);
	assert_true(inotify_add_watch(watch, fixture->dir, IN_CREATE) >= 0);
	apsp_calibration_load(device, &kept);
	assert_false(kept.measured);
	if (apsp_calibration_run(device, NULL, &rates, &err) < 0)
		fail_msg("%s", err.message);
	assert_true(rates.measured);
	for (int i = 0; i < APSP_COST_IDS; i++)
		for (int e = 0; e < APSP_RATE_ELEMENTS; e++) {
			const struct apsp_rate *rate = &rates.algorithms[i][e];

			assert_true(rate->operation_s > 0);
			assert_true(rate->operation_s < 1e-6);
			assert_true(rate->step_s >= 0 && rate->step_s < 1);
		}
	assert_true(rates.arc_s > 0 && rates.pair_s > 0);
	assert_int_equal(apsp_calibration_save(device, &rates, &err), 0);
	names_check(watch);
	apsp_calibration_load(device, &kept);
	assert_true(kept.measured);
	apsp_rates_format(&rates, text);
	apsp_rates_format(&kept, again);
	assert_string_equal(text, again);
}

/* Nothing is measured once a stop is asked for. */
static void test_stop(void **state)
{
	struct device_fixture *fixture = *state;
	atomic_bool stop = true;
	struct apsp_rates rates;
	struct apsp_err err;

	assert_int_equal(
		apsp_calibration_run(&fixture->device, &stop, &rates, &err),
		APSP_ECANCELLED);
}

/* Another driver's rates are not taken for this one's. */
static void test_identity(void **state)
{
	struct device_fixture *fixture = *state;
	struct apsp_device other = fixture->device;
	struct apsp_rates rates;
	char name[] = "another";

	apsp_calibration_load(&fixture->device, &rates);
	assert_true(rates.measured);
	other.identity = name;
	apsp_calibration_load(&other, &rates);
	assert_false(rates.measured);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_rates),
		cmocka_unit_test(test_stop),
		cmocka_unit_test(test_identity),
	};

	return cmocka_run_group_tests(
		tests, device_fixture_setup, device_fixture_teardown);
}
