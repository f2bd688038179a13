/*
 * What the daemon asks of its process: directories, the solver's place, the
 * standard descriptors, and an end at once when stopping takes too long.
 */
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/base/err.h"
#include "daemon/process_setup.h"

static void test_find_solver(void **state)
{
	char path[PATH_MAX], beside[PATH_MAX];
	struct apsp_err err;
	ssize_t size;
	FILE *file;

	(void)state;
	setenv("APSPD_SOLVER", "/bin/sh", 1);
	assert_int_equal(apsp_process_find_solver(path, &err), 0);
	assert_string_equal(path, "/bin/sh");
	setenv("APSPD_SOLVER", "/nowhere/solver", 1);
	assert_int_equal(apsp_process_find_solver(path, &err), APSP_EMALFORMED);
	assert_non_null(strstr(err.message, "/nowhere/solver"));

	unsetenv("APSPD_SOLVER");
	size = readlink("/proc/self/exe", beside, sizeof(beside) - 1);
	assert_true(size > 0);
	beside[size] = '\0';
	strcpy(strrchr(beside, '/'), "/apsp-solve");
	file = fopen(beside, "we");
	assert_non_null(file);
	fclose(file);
	assert_int_equal(chmod(beside, 0700), 0);
	assert_int_equal(apsp_process_find_solver(path, &err), 0);
	assert_string_equal(path, beside);
	assert_int_equal(unlink(beside), 0);
}

/* Run fn in a child and return how that ended. */
static int in_child(void (*fn)(void))
{
	int status = 0;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		fn();
		_exit(99);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void check_prepared(void)
{
	struct rlimit files;
	int fds[2];

	close(STDIN_FILENO);
	close(STDERR_FILENO);
	apsp_process_prepare();
	if (write(STDERR_FILENO, "x", 1) != 1)
		_exit(1);
	if (pipe(fds) < 0 || fds[0] <= STDERR_FILENO)
		_exit(2);
	close(fds[0]);
	if (raise(SIGXFSZ) != 0) /* would end us as well */
		_exit(6);
	if (write(fds[1], "x", 1) >= 0) /* SIGPIPE would end us */
		_exit(3);
	if (getrlimit(RLIMIT_NOFILE, &files) < 0 ||
		files.rlim_cur != files.rlim_max)
		_exit(4);
	if (!getenv("GLIBC_TUNABLES"))
		_exit(7);
	_exit(umask(0) == 0077 ? 0 : 5);
}

static void test_prepare(void **state)
{
	(void)state;
	assert_int_equal(in_child(check_prepared), 0);
}

static void take_too_long(void)
{
	const struct timespec long_time = {.tv_sec = 30};
	sigset_t all, stops;

	apsp_process_block_signals(&all, &stops);
	apsp_process_limit_stop(&stops, 20);
	nanosleep(&long_time, NULL);
}

static void be_asked_again(void)
{
	sigset_t all, stops;

	apsp_process_block_signals(&all, &stops);
	raise(SIGTERM); /* the second, which waits until it may come */
	apsp_process_limit_stop(&stops, 30000);
}

/* In a session of its own a process has no terminal to lose. */
static void have_no_terminal(void)
{
	sigset_t all, stops;

	signal(SIGHUP, SIG_DFL);
	setsid();
	apsp_process_block_signals(&all, &stops);
	_exit(sigismember(&all, SIGHUP) && !sigismember(&stops, SIGHUP) ? 0
									: 1);
}

static void have_terminal(void)
{
	sigset_t all, stops;
	int terminal = posix_openpt(O_RDWR | O_NOCTTY);

	signal(SIGHUP, SIG_DFL);
	setsid();
	if (terminal < 0 || grantpt(terminal) < 0 || unlockpt(terminal) < 0 ||
		open(ptsname(terminal), O_RDWR) < 0)
		_exit(2);
	apsp_process_block_signals(&all, &stops);
	_exit(sigismember(&all, SIGHUP) && sigismember(&stops, SIGHUP) ? 0 : 1);
}

static void ignore_hangup(void)
{
	sigset_t all, stops;

	signal(SIGHUP, SIG_IGN);
	apsp_process_block_signals(&all, &stops);
	_exit(sigismember(&all, SIGHUP) ? 1 : 0);
}

static void test_stop(void **state)
{
	int status;

	(void)state;
	status = in_child(take_too_long);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	status = in_child(be_asked_again);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
	status = in_child(have_no_terminal);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	status = in_child(have_terminal);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	status = in_child(ignore_hangup);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void hide(void)
{
	apsp_process_hide();
	_exit(prctl(PR_GET_DUMPABLE));
}

static void test_hide(void **state)
{
	(void)state;
	assert_int_equal(in_child(hide), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find_solver),
		cmocka_unit_test(test_hide),
		cmocka_unit_test(test_prepare),
		cmocka_unit_test(test_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
