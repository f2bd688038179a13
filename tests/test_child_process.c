/*
 * A child process that cannot be started: limits that pass, and a program that
 * is not there.
 */
#include <errno.h>
#include <setjmp.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "compute/worker/child_process.h"

enum {
	DESCRIPTORS = 64, /* at most, in the tests */
	PIPE_ENDS = 6,
};

static int spawn_errno; /* of the next posix_spawn(); 0: the real one */

int __real_posix_spawn(pid_t *pid, const char *path,
	const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attributes, char *const argv[],
	char *const env[]);
int __wrap_posix_spawn(pid_t *pid, const char *path,
	const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attributes, char *const argv[],
	char *const env[]);

int __wrap_posix_spawn(pid_t *pid, const char *path,
	const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attributes, char *const argv[],
	char *const env[])
{
	int r = spawn_errno;

	spawn_errno = 0;
	return r ? r
		 : __real_posix_spawn(
			   pid, path, actions, attributes, argv, env);
}

static bool never(void *ctx)
{
	(void)ctx;
	return false;
}

static enum apsp_child_said line_ignore(void *ctx, const char *line)
{
	(void)ctx;
	(void)line;
	return APSP_CHILD_SAID_MORE;
}

static void log_ignore(void *ctx, const char *line)
{
	(void)ctx;
	(void)line;
}

static int child_start(
	const char *path, struct apsp_child_process **out, struct apsp_err *err)
{
	static char *const env[] = {NULL};
	const char *const argv[] = {path, NULL};
	const struct apsp_child_process_config config = {.argv = argv,
		.env = env,
		.wake_fd = -1,
		.linger_ms = 1000,
		.term_ms = 1000,
		.kill_ms = 1000};

	return apsp_child_process_start(&config, NULL, out, err);
}

/* Start it, hear it, and see that it ends well. */
static void child_run(const char *path)
{
	static const struct apsp_child_process_ear ear = {
		NULL, never, line_ignore, log_ignore};
	struct apsp_child_process *child = NULL;
	struct apsp_child_process_end end;

	assert_int_equal(child_start(path, &child, NULL), 0);
	assert_true(apsp_child_process_listen(child, &ear, &end));
	assert_true(WIFEXITED(end.status));
	assert_int_equal(WEXITSTATUS(end.status), 0);
}

/* Open all descriptors that the limit allows; the last `left` are closed. */
static int descriptors_fill(int fds[DESCRIPTORS], int left)
{
	int n = 0;

	while (n < DESCRIPTORS && (fds[n] = dup(STDERR_FILENO)) >= 0)
		n++;
	assert_true(n >= left);
	for (int i = 0; i < left; i++)
		close(fds[--n]);
	return n;
}

/* Each pipe that finds no descriptor meets a limit that passes. */
static void test_no_descriptors(void **state)
{
	struct rlimit before, few;
	int fds[DESCRIPTORS];

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	few = before;
	few.rlim_cur = DESCRIPTORS;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	for (int left = 0; left < PIPE_ENDS; left++) {
		int n = descriptors_fill(fds, left), more[DESCRIPTORS];
		struct apsp_child_process *child = NULL;
		struct apsp_err err = {0};

		assert_int_equal(
			child_start("/bin/true", &child, &err), APSP_EBUSY);
		assert_int_equal(err.code, APSP_EBUSY);
		assert_non_null(strstr(err.message, strerror(EMFILE)));
		assert_null(child);
		/* what it had opened is closed again */
		assert_int_equal(descriptors_fill(more, left), 0);
		while (n > 0)
			close(fds[--n]);
	}
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	child_run("/bin/true");
}

static void test_spawn_fails(void **state)
{
	static const int passing[] = {EMFILE, ENFILE, EAGAIN};
	struct apsp_child_process *child = NULL;
	struct apsp_err err = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(passing) / sizeof(*passing); i++) {
		spawn_errno = passing[i];
		assert_int_equal(
			child_start("/bin/true", &child, &err), APSP_EBUSY);
		assert_non_null(strstr(err.message, strerror(passing[i])));
	}
	assert_int_equal(child_start("/nowhere", &child, &err), APSP_ESOLVER);
	assert_non_null(strstr(err.message, "'/nowhere'"));
	assert_null(child);
	child_run("/bin/true");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_descriptors),
		cmocka_unit_test(test_spawn_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
