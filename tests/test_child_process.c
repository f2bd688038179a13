/*
 * A child process that cannot be started (a temporary lack of descriptors, a
 * missing program), and how one ends, with a pidfd and without.
 */
#include <errno.h>
#include <poll.h>
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
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "compute/worker/child_process.h"
#include "daemon/base/program.h"

enum {
	DESCRIPTORS = 64, /* at most, in the tests */
	PIPE_ENDS = 6,
	DEADLINE_MS = 20000,
	CHILDREN = 16, /* at most, at one time */
};

static int spawn_errno; /* of the next start; 0: the real one */

int __real_apsp_program_start(
	const struct apsp_program *program, pid_t *out_pid);
int __wrap_apsp_program_start(
	const struct apsp_program *program, pid_t *out_pid);

int __wrap_apsp_program_start(
	const struct apsp_program *program, pid_t *out_pid)
{
	int r = spawn_errno;

	spawn_errno = 0;
	return r ? r : __real_apsp_program_start(program, out_pid);
}

static bool no_pidfd;
static unsigned int n_polls;

int __real_poll(struct pollfd *fds, nfds_t n, int timeout_ms);
int __wrap_poll(struct pollfd *fds, nfds_t n, int timeout_ms);

int __wrap_poll(struct pollfd *fds, nfds_t n, int timeout_ms)
{
	n_polls++;
	return __real_poll(fds, n, timeout_ms);
}

int __real_pidfd_open(pid_t pid, unsigned int flags);
int __wrap_pidfd_open(pid_t pid, unsigned int flags);

int __wrap_pidfd_open(pid_t pid, unsigned int flags)
{
	if (!no_pidfd)
		return __real_pidfd_open(pid, flags);
	errno = EPERM;
	return -1;
}

static enum apsp_child_line line_ignore(void *ctx, const char *line)
{
	(void)ctx;
	(void)line;
	return APSP_CHILD_LINE_MORE;
}

static int child_start(
	const char *path, struct apsp_child_process **out, struct apsp_err *err)
{
	static char *const env[] = {NULL};
	const char *const argv[] = {path, NULL};
	const struct apsp_child_process_config config = {
		.argv = argv, .env = env, .name = "child", .wake_fd = -1};

	return apsp_child_process_start(&config, out, err);
}

/* Start it, hear it, and see that it ends well. */
static void child_run(const char *path)
{
	static const struct apsp_child_listener listener = {
		NULL, NULL, line_ignore, NULL};
	struct apsp_child_process *child = NULL;
	struct apsp_child_process_end end;

	assert_int_equal(child_start(path, &child, NULL), 0);
	assert_true(apsp_child_process_listen(child, &listener, &end));
	assert_string_equal(end.how, "ended with status 0");
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

/* A child ends by itself, at its limit, or on a stop. */
static void test_ends(void **state)
{
	static const struct apsp_stop asked = {APSP_STOP_END, NULL};
	const struct apsp_child_listener patient = {
		NULL, NULL, line_ignore, NULL};
	const struct apsp_child_listener stopping = {
		NULL, &asked, line_ignore, NULL};
	struct apsp_child_process *child = NULL;
	struct apsp_child_process_end end;

	(void)state;
	for (int i = 0; i < 2; i++) {
		no_pidfd = i == 1;
		child_run("/bin/true");
		/* cat would wait for its stdin */
		assert_int_equal(child_start("/bin/cat", &child, NULL), 0);
		apsp_child_process_limit(child, 20);
		assert_true(apsp_child_process_listen(child, &patient, &end));
		assert_true(end.timed_out && !end.lost);
		assert_int_equal(child_start("/bin/cat", &child, NULL), 0);
		assert_true(apsp_child_process_listen(child, &stopping, &end));
		assert_false(end.timed_out || end.lost);
	}
	no_pidfd = false;
}

/* The number of children is limited. Another one can start when one of them has
   ended. */
static void test_too_many(void **state)
{
	const struct apsp_child_listener listener = {
		NULL, NULL, line_ignore, NULL};
	struct apsp_child_process *children[CHILDREN], *more = NULL;
	struct apsp_err err = {0};

	(void)state;
	for (int i = 0; i < CHILDREN; i++)
		assert_int_equal(
			child_start("/bin/cat", &children[i], NULL), 0);
	assert_int_equal(child_start("/bin/cat", &more, &err), APSP_EBUSY);
	assert_non_null(strstr(err.message, "16"));
	assert_null(more);
	apsp_child_process_end(children[0], &listener);
	assert_int_equal(child_start("/bin/cat", &children[0], NULL), 0);
	for (int i = 0; i < CHILDREN; i++)
		apsp_child_process_end(children[i], &listener);
}

/* Nothing wakes us while a child waits, until its limit. */
static void test_sleeps(void **state)
{
	const struct apsp_child_listener patient = {
		NULL, NULL, line_ignore, NULL};
	struct apsp_child_process *child = NULL;
	struct apsp_child_process_end end;

	(void)state;
	assert_int_equal(child_start("/bin/cat", &child, NULL), 0);
	apsp_child_process_limit(child, 1000);
	n_polls = 0;
	assert_true(apsp_child_process_listen(child, &patient, &end));
	assert_true(end.timed_out);
	/* the limit, and the child's end with that of its pipes */
	assert_in_range(n_polls, 2, 5);
}

/* Start a child that stops itself before it does anything else, and wait for
   ever. The child keeps `told` open. */
static void parent_run(int told)
{
	static const char *const argv[] = {
		"/bin/sh", "-c", "echo $$ >&3; kill -STOP $$", NULL};
	static char *const env[] = {NULL};
	const struct apsp_child_process_config config = {.argv = argv,
		.env = env,
		.name = "child",
		.wake_fd = -1,
		.shared_fd = told};
	struct apsp_child_process *child = NULL;

	if (apsp_child_process_start(&config, &child, NULL) < 0)
		_exit(1);
	close(told);
	for (;;)
		pause();
}

static bool is_stopped(long pid)
{
	char path[64], state = '\0';
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
	file = fopen(path, "r");
	if (!file)
		return false;
	if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		state = '\0';
	fclose(file);
	return state == 'T';
}

/* A child that was stopped before it asked for anything dies with its
   parent. */
static void test_parent_dies(void **state)
{
	struct pollfd look;
	char text[16] = "";
	int ends[2], waits = 0;
	pid_t parent;
	long pid;

	(void)state;
	/* the child comes to this process, which is of its session: otherwise
	   Linux would end a stopped child by SIGHUP */
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	assert_int_equal(pipe(ends), 0);
	parent = fork();
	if (parent == 0)
		parent_run(ends[1]);
	close(ends[1]);
	assert_true(read(ends[0], text, sizeof(text) - 1) > 1);
	pid = strtol(text, NULL, 10);
	while (!is_stopped(pid) && waits++ < DEADLINE_MS)
		usleep(1000);
	assert_true(is_stopped(pid));
	assert_int_equal(kill(parent, SIGKILL), 0);
	assert_int_equal(waitpid(parent, NULL, 0), parent);
	/* the end of the pipe shows that the child is gone */
	look = (struct pollfd){ends[0], POLLIN, 0};
	if (poll(&look, 1, DEADLINE_MS) != 1) {
		kill((pid_t)pid, SIGKILL);
		fail();
	}
	assert_int_equal(read(ends[0], text, sizeof(text)), 0);
	close(ends[0]);
	assert_int_equal(waitpid((pid_t)pid, NULL, 0), pid);
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_sleeps),
		cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_no_descriptors),
		cmocka_unit_test(test_spawn_fails),
		cmocka_unit_test(test_parent_dies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
