/*
 * Times as text, against the C library's; pauses that double.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include <cmocka.h>

#include "daemon/base/clock.h"

enum {
	DAYS = 2932896, /* from 1970 to the end of 9999 */
};

static void test_every_day(void **state)
{
	(void)state;
	for (int64_t day = 0; day < DAYS; day++) {
		/* another time of each day */
		int64_t second = day * 86400 + day * 7919 % 86400;
		int64_t ms = second * 1000 + day % 1000;
		time_t time = (time_t)second;
		char want[64], found[APSP_CLOCK_UTC_SIZE];
		struct tm tm;
		size_t size;

		gmtime_r(&time, &tm);
		size = strftime(want, sizeof(want), "%Y-%m-%dT%H:%M:%S", &tm);
		snprintf(want + size, sizeof(want) - size, ".%03dZ",
			(int)(ms % 1000));
		apsp_clock_utc_write(ms, found);
		assert_string_equal(found, want);
	}
}

static void test_pauses(void **state)
{
	static const int expected[] = {500, 1000, 1800, 1800};
	int ms = 250;

	(void)state;
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		ms = apsp_pause_double(ms, 1800);
		assert_int_equal(ms, expected[i]);
	}
	assert_int_equal(apsp_pause_double(2, 5), 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pauses),
		cmocka_unit_test(test_every_day),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
