/*
 * Signs of life, and what the service manager hears of them.
 */
#include <stdbool.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/base/pulse.h"
#include "daemon/service_manager.h"

static void sleep_ms(long ms)
{
	const struct timespec pause = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&pause, NULL);
}

static void test_silence(void **state)
{
	struct apsp_pulse pulse;
	struct apsp_err err;

	(void)state;
	apsp_pulse_init(&pulse, "writer", 1000);
	assert_int_equal(apsp_pulse_check(&pulse, 60000, &err), 0);
	sleep_ms(5);
	assert_int_equal(apsp_pulse_check(&pulse, 2, &err), APSP_ESTALLED);
	assert_non_null(strstr(err.message, "the writer has shown no sign"));
	apsp_pulse_beat(&pulse);
	assert_int_equal(apsp_pulse_check(&pulse, 60000, &err), 0);
}

/* A long call counts as life for as long as was said, and no longer. */
static void test_long_call(void **state)
{
	struct apsp_pulse pulse;
	struct apsp_err err;

	(void)state;
	apsp_pulse_init(&pulse, "writer", 1000);
	apsp_pulse_allow(&pulse, 600000);
	sleep_ms(5);
	assert_int_equal(apsp_pulse_check(&pulse, 2, &err), 0);
	apsp_pulse_beat(&pulse);
	sleep_ms(5);
	assert_int_equal(apsp_pulse_check(&pulse, 2, &err), APSP_ESTALLED);
	apsp_pulse_allow(&pulse, 1);
	sleep_ms(10);
	assert_int_equal(apsp_pulse_check(&pulse, 2, &err), APSP_ESTALLED);
}

static void test_naps(void **state)
{
	struct apsp_pulse watched, unwatched;

	(void)state;
	apsp_pulse_init(&watched, "writer", 100);
	apsp_pulse_init(&unwatched, "writer", 0);
	assert_int_equal(apsp_pulse_nap_ms(&watched, -1), 100);
	assert_int_equal(apsp_pulse_nap_ms(&watched, 5000), 100);
	assert_int_equal(apsp_pulse_nap_ms(&watched, 7), 7);
	assert_int_equal(apsp_pulse_nap_ms(&watched, 0), 0);
	assert_int_equal(apsp_pulse_nap_ms(&unwatched, -1), -1);
	assert_int_equal(apsp_pulse_nap_ms(&unwatched, 5000), 5000);
}

static void test_times(void **state)
{
	struct apsp_watchdog watchdog;

	(void)state;
	unsetenv("WATCHDOG_PID");
	unsetenv("WATCHDOG_USEC");
	apsp_watchdog_init(&watchdog);
	assert_int_equal(watchdog.tick_ms, 0);
	assert_int_equal(watchdog.beat_ms, 0);
	setenv("WATCHDOG_USEC", "60000000", 1);
	apsp_watchdog_init(&watchdog);
	assert_int_equal(watchdog.beat_ms, 7500);
	assert_int_equal(watchdog.tick_ms, 15000);
	assert_int_equal(watchdog.limit_ms, 30000);
	setenv("WATCHDOG_USEC", "1000", 1);
	apsp_watchdog_init(&watchdog);
	assert_true(watchdog.beat_ms > 0 && watchdog.tick_ms > 0);
	setenv("WATCHDOG_USEC", "18446744073709551615", 1);
	apsp_watchdog_init(&watchdog);
	assert_true(watchdog.tick_ms > 0 && watchdog.limit_ms > 0);
}

static int alive(void *ctx, int64_t limit_ms, struct apsp_err *err)
{
	const int *result = ctx;

	assert_int_equal(limit_ms, 30000);
	return *result == 0 ? 0
			    : apsp_fail(err, APSP_ESTALLED, "a thread hangs");
}

/* Whether one tick sends WATCHDOG=1. */
static bool tick_tells(struct apsp_watchdog *watchdog, int fd, int result)
{
	char text[64];
	ssize_t size;

	apsp_watchdog_tick(watchdog, alive, &result);
	size = recv(fd, text, sizeof(text), MSG_DONTWAIT);
	if (size < 0)
		return false;
	assert_int_equal(size, strlen("WATCHDOG=1"));
	assert_memory_equal(text, "WATCHDOG=1", (size_t)size);
	return true;
}

static void test_ticks(void **state)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct apsp_watchdog watchdog;
	char name[64];
	int size;

	(void)state;
	size = snprintf(name, sizeof(name), "@apsp-watchdog-%d", (int)getpid());
	memcpy(address.sun_path, name, (size_t)size);
	address.sun_path[0] = '\0';
	assert_int_equal(
		bind(fd, (const struct sockaddr *)&address,
			(socklen_t)(offsetof(struct sockaddr_un, sun_path) +
				    (size_t)size)),
		0);
	setenv("NOTIFY_SOCKET", name, 1);
	setenv("WATCHDOG_USEC", "60000000", 1);
	apsp_watchdog_init(&watchdog);
	assert_true(tick_tells(&watchdog, fd, 0));
	assert_false(tick_tells(&watchdog, fd, -1));
	assert_false(tick_tells(&watchdog, fd, -1));
	assert_true(tick_tells(&watchdog, fd, 0));
	unsetenv("NOTIFY_SOCKET");
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_silence),
		cmocka_unit_test(test_long_call),
		cmocka_unit_test(test_naps),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_ticks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
