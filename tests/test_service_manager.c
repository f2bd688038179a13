/*
 * Notifications arrive on a socket with a path and on an abstract one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/base/err.h"
#include "daemon/service_manager.h"

/* A manager's socket; name begins with '@' for an abstract one. */
static int manager_open(const char *name)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t size = strlen(name) + (*name != '@');
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	memcpy(address.sun_path, name, strlen(name));
	if (*name == '@')
		address.sun_path[0] = '\0';
	assert_true(fd >= 0);
	assert_int_equal(
		bind(fd, (const struct sockaddr *)&address,
			(socklen_t)(offsetof(struct sockaddr_un, sun_path) +
				    size)),
		0);
	setenv("NOTIFY_SOCKET", name, 1);
	return fd;
}

static void expect(int fd, const char *state)
{
	char text[256];
	ssize_t size;

	assert_int_equal(apsp_service_manager_send(state, NULL), 0);
	size = recv(fd, text, sizeof(text), MSG_DONTWAIT);
	assert_int_equal(size, strlen(state));
	assert_memory_equal(text, state, strlen(state));
}

static void test_path(void **state)
{
	char dir[] = "/tmp/apsp-notify-XXXXXX";
	char path[64];
	int fd;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/socket", dir);
	fd = manager_open(path);
	expect(fd, "READY=1\nSTATUS=Serving 127.0.0.1:8080");
	expect(fd, "STOPPING=1");
	close(fd);
	unlink(path);
	rmdir(dir);
}

static void test_abstract(void **state)
{
	char name[64];
	int fd;

	(void)state;
	snprintf(name, sizeof(name), "@apsp-notify-%d", (int)getpid());
	fd = manager_open(name);
	expect(fd, "WATCHDOG=1");
	close(fd);
}

static void test_nobody(void **state)
{
	struct apsp_err err;
	char name[200];

	(void)state;
	unsetenv("NOTIFY_SOCKET");
	assert_int_equal(apsp_service_manager_send("READY=1", NULL), 0);
	setenv("NOTIFY_SOCKET", "", 1);
	assert_int_equal(apsp_service_manager_send("READY=1", NULL), 0);
	setenv("NOTIFY_SOCKET", "relative", 1);
	assert_int_equal(apsp_service_manager_send("READY=1", &err), APSP_EIO);
	setenv("NOTIFY_SOCKET", "/nowhere/socket", 1);
	assert_int_equal(apsp_service_manager_send("READY=1", &err), APSP_EIO);
	memset(name, 'x', sizeof(name) - 1);
	name[0] = '/';
	name[sizeof(name) - 1] = '\0';
	setenv("NOTIFY_SOCKET", name, 1);
	assert_int_equal(apsp_service_manager_send("READY=1", &err), APSP_EIO);
}

/* WATCHDOG_USEC in microseconds, rounded down to four milliseconds. */
static unsigned int watchdog_us(void)
{
	struct apsp_watchdog watchdog;

	apsp_watchdog_init(&watchdog);
	return (unsigned int)watchdog.tick_ms * 4000;
}

static void test_watchdog(void **state)
{
	char pid[32];

	(void)state;
	unsetenv("WATCHDOG_USEC");
	unsetenv("WATCHDOG_PID");
	assert_true(watchdog_us() == 0);
	setenv("WATCHDOG_USEC", "30000000", 1);
	assert_true(watchdog_us() == 30000000);
	setenv("WATCHDOG_PID", "1", 1);
	assert_true(watchdog_us() == 0);
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	setenv("WATCHDOG_PID", pid, 1);
	assert_true(watchdog_us() == 30000000);
	setenv("WATCHDOG_USEC", "soon", 1);
	assert_true(watchdog_us() == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_path),
		cmocka_unit_test(test_abstract),
		cmocka_unit_test(test_nobody),
		cmocka_unit_test(test_watchdog),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
