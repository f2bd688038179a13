/*
 * Listeners: allowed addresses, stale and live unix sockets, inheritance.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/connection/listen.h"

/* Without tokens. */
static const struct apsp_listen_rules loopback;

static void test_addresses(void **state)
{
	static const struct {
		const char *spec;
		int code;
	} cases[] = {
		{"127.0.0.1:0", 0},
		{"localhost:0", 0},
		{"127.1.2.3:0", 0},
		{"0.0.0.0:0", APSP_EFORBIDDEN},
		{"192.0.2.1:0", APSP_EFORBIDDEN},
		{"[::]:0", APSP_EFORBIDDEN},
		{"127.0.0.1", APSP_EMALFORMED},
		{"127.0.0.1:", APSP_EMALFORMED},
		{"127.0.0.1:65536", APSP_EMALFORMED},
		{"127.0.0.1:8x", APSP_EMALFORMED},
		{":80", APSP_EMALFORMED},
		{"::1:80", APSP_EMALFORMED},
		{"example.com:80", APSP_EMALFORMED},
		{"", APSP_EMALFORMED},
		{"unix:", APSP_EMALFORMED},
		{"unix:/nowhere/at/all/s", APSP_EIO},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct apsp_listener listener;
		struct apsp_err err = {0};
		int r;

		r = apsp_listener_open(
			cases[i].spec, &loopback, &listener, &err);
		if (r != cases[i].code)
			fail_msg("%s: %d %s", cases[i].spec, r, err.message);
		if (r == 0) {
			assert_null(strstr(listener.address, ":0"));
			apsp_listener_close(&listener);
		}
	}
}

static void test_busy_port(void **state)
{
	struct apsp_listener one, two;
	struct apsp_err err = {0};

	(void)state;
	assert_int_equal(
		apsp_listener_open("127.0.0.1:0", &loopback, &one, &err), 0);
	assert_int_equal(apsp_listener_open(one.address, &loopback, &two, &err),
		APSP_EIO);
	assert_non_null(strstr(err.message, one.address));
	apsp_listener_close(&one);
}

static void test_unix(void **state)
{
	char dir[] = "/tmp/apsp-listen-XXXXXX";
	char spec[64];
	const char *path = spec + strlen("unix:");
	struct apsp_listener one, two;
	struct apsp_err err = {0};
	struct stat st;
	int fd;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(spec, sizeof(spec), "unix:%s/s", dir);
	assert_int_equal(apsp_listener_open(spec, &loopback, &one, &err), 0);
	assert_string_equal(one.address, spec);
	assert_return_code(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0660);
	/* a live socket is not replaced */
	assert_int_equal(
		apsp_listener_open(spec, &loopback, &two, &err), APSP_EIO);
	/* a stale socket is */
	close(one.fd);
	assert_int_equal(apsp_listener_open(spec, &loopback, &two, &err), 0);
	apsp_listener_close(&two);
	assert_int_equal(access(path, F_OK), -1);
	/* the socket file of a program that has taken our place stays */
	assert_int_equal(apsp_listener_open(spec, &loopback, &one, &err), 0);
	assert_return_code(unlink(path), 0);
	assert_int_equal(apsp_listener_open(spec, &loopback, &two, &err), 0);
	apsp_listener_close(&one);
	assert_return_code(access(path, F_OK), errno);
	apsp_listener_close(&two);
	assert_int_equal(access(path, F_OK), -1);
	/* a file that is no socket stays */
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	assert_return_code(fd, errno);
	close(fd);
	assert_int_equal(
		apsp_listener_open(spec, &loopback, &two, &err), APSP_EIO);
	assert_return_code(unlink(path), 0);
	assert_return_code(rmdir(dir), 0);
}

/* In a child, where descriptor 3 can be the socket. */
static int inherit_in_child(uint32_t ip, const char *fds, bool ours)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		struct apsp_listener out[2];
		struct sockaddr_in address = {
			.sin_family = AF_INET, .sin_addr.s_addr = htonl(ip)};
		char text[16];
		int fd = socket(AF_INET, SOCK_STREAM, 0);
		int r;

		if (bind(fd, (struct sockaddr *)&address, sizeof(address)) ||
			listen(fd, 1))
			_exit(99);
		if (fd != 3)
			dup2(fd, 3);
		snprintf(text, sizeof(text), "%d", (int)getpid() + !ours);
		setenv("LISTEN_PID", text, 1);
		setenv("LISTEN_FDS", fds, 1);
		r = apsp_listeners_inherit(out, 2, &loopback, NULL);
		if (getenv("LISTEN_PID") || getenv("LISTEN_FDS"))
			_exit(98);
		if (r == 1 && (!out[0].inherited || out[0].fd != 3 ||
				      !(fcntl(3, F_GETFL) & O_NONBLOCK)))
			_exit(97);
		_exit(r < 0 ? 50 - r : r);
	}
	assert_return_code(waitpid(pid, &status, 0), errno);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void test_inherited(void **state)
{
	(void)state;
	assert_int_equal(inherit_in_child(INADDR_LOOPBACK, "1", true), 1);
	assert_int_equal(inherit_in_child(INADDR_LOOPBACK, "1", false), 0);
	assert_int_equal(
		inherit_in_child(INADDR_LOOPBACK, "3", true), 50 - APSP_EIO);
	/* an address that we refuse to open is refused here, too */
	assert_int_equal(
		inherit_in_child(INADDR_ANY, "1", true), 50 - APSP_EFORBIDDEN);
}

/* Whether an inherited unix socket of this mode is open to all; in a child. */
static int unix_in_child(mode_t mode)
{
	char path[] = "/tmp/apsp-inherit-XXXXXX";
	pid_t pid;
	int status;

	assert_non_null(mkdtemp(path));
	pid = fork();
	if (pid == 0) {
		struct sockaddr_un address = {.sun_family = AF_UNIX};
		struct apsp_listener out[1];
		char text[16];
		int fd = socket(AF_UNIX, SOCK_STREAM, 0);

		snprintf(address.sun_path, sizeof(address.sun_path), "%s/s",
			path);
		if (bind(fd, (struct sockaddr *)&address, sizeof(address)) ||
			chmod(address.sun_path, mode) || listen(fd, 1))
			_exit(99);
		if (fd != 3)
			dup2(fd, 3);
		snprintf(text, sizeof(text), "%d", (int)getpid());
		setenv("LISTEN_PID", text, 1);
		setenv("LISTEN_FDS", "1", 1);
		if (apsp_listeners_inherit(out, 1, &loopback, NULL) != 1)
			_exit(98);
		unlink(address.sun_path);
		_exit(out[0].open_to_all);
	}
	assert_return_code(waitpid(pid, &status, 0), errno);
	assert_true(WIFEXITED(status));
	assert_return_code(rmdir(path), errno);
	return WEXITSTATUS(status);
}

static void test_inherited_mode(void **state)
{
	(void)state;
	assert_int_equal(unix_in_child(0660), 0);
	assert_int_equal(unix_in_child(0666), 1);
	assert_int_equal(unix_in_child(0662), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_busy_port),
		cmocka_unit_test(test_unix),
		cmocka_unit_test(test_inherited),
		cmocka_unit_test(test_inherited_mode),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
