/*
 * A try of a kernel in a process of its own: how it ends, and what ends it. The
 * process is this program with --trial, which ends as its first argument says.
 * Time is the test's: it passes when the try asks for it the second time.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "compute/solve/stop_watch.h"
#include "compute/solve/trial_process.h"

enum {
	PATIENCE_MS = 60000, /* of trial_process.c */
	TURNS = 5,	     /* before the test acts */
};

/* Calls of these come here (tests/meson.build). */
int64_t __wrap_apsp_clock_ms(void);
int __wrap_sched_getscheduler(pid_t pid);

static int64_t passes_ms; /* at the second look at the clock */
static int n_looks;
static bool idle;	 /* this process has the lowest priority */
static int n_asked;	 /* for the priority */
static bool stops;	 /* a stop is asked for after some turns */
static const char *fifo; /* its reader ends; NULL: there is none */

/* Let the process that reads the FIFO go on, once it reads. */
static void fifo_answer(void)
{
	int fd = open(fifo, O_WRONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0) {
		assert_int_equal(errno, ENXIO);
		return;
	}
	close(fd);
	fifo = NULL;
}

int64_t __wrap_apsp_clock_ms(void)
{
	if (++n_looks > TURNS && fifo)
		fifo_answer();
	return n_looks == 1 ? 1000 : 1000 + passes_ms;
}

int __wrap_sched_getscheduler(pid_t pid)
{
	(void)pid;
	if (!idle)
		return SCHED_OTHER;
	if (++n_asked == TURNS && stops)
		apsp_stop_ask(apsp_stop_watch_token(), APSP_STOP_CANCEL);
	return SCHED_IDLE;
}

/* What the process does that is tried. */
static int behave(const char *what)
{
	const struct rlimit none = {0, 0};
	char path[256];
	int number;

	setrlimit(RLIMIT_CORE, &none);
	if (sscanf(what, "signal %d", &number) == 1)
		return raise(number);
	if (strcmp(what, "hang") == 0)
		for (;;)
			pause();
	if (sscanf(what, "read %255s", path) == 1)
		return open(path, O_RDONLY | O_CLOEXEC) < 0;
	return atoi(what);
}

static int try(const char *what, char events[APSP_MESSAGE_SIZE])
{
	FILE *stream = fmemopen(events, APSP_MESSAGE_SIZE, "w");
	const struct apsp_solver_options options = {
		.device = "cpu", .cache_dir = "/", .events = stream};
	const struct apsp_trial_ops ops = apsp_trial_process(&options);
	struct apsp_err err = {0};
	int r;

	n_looks = n_asked = 0;
	apsp_stop_reset(apsp_stop_watch_token());
	r = ops.run(ops.ctx, what, "all", &err);
	fclose(stream);
	/* nobody is left */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	if (r < 0)
		snprintf(events, APSP_MESSAGE_SIZE, "%s", err.message);
	return r;
}

static void expect(const char *what, int code, const char *text)
{
	char said[APSP_MESSAGE_SIZE] = "";

	assert_int_equal(try(what, said), code);
	if (!strstr(said, text))
		fail_msg("%s: %s", what, said);
}

static void test_ends(void **state)
{
	(void)state;
	passes_ms = 0;
	/* the worker is told to wait for longer than a try may take */
	expect("0", 0, "trial seconds 240\n");
	expect("1", APSP_EDEVICE, "fails in a process of its own");
	expect("3", APSP_ELIMIT, "a second time");
	expect("signal 6", APSP_EDEVICE, "crashes (Aborted)");
	/* the limit of processor time */
	expect("signal 24", APSP_EDEVICE, "does not end");
	expect("signal 9", APSP_EBUSY, "was ended");
	expect("signal 15", APSP_EBUSY, "was ended");
}

/* A minute is over: that is no fault of the form. */
static void test_patience(void **state)
{
	(void)state;
	passes_ms = PATIENCE_MS;
	expect("hang", APSP_EBUSY, "does not end in time");
}

/* Before that it is waited for. */
static void test_slow(void **state)
{
	char path[64], what[80];

	(void)state;
	snprintf(path, sizeof(path), "/tmp/test_trial.%ld", (long)getpid());
	snprintf(what, sizeof(what), "read %s", path);
	passes_ms = PATIENCE_MS - 1;
	assert_int_equal(mkfifo(path, 0600), 0);
	fifo = path;
	expect(what, 0, "");
	assert_null(fifo);
	unlink(path);
	fifo = NULL;
}

/* A process that runs only where a processor is idle waits until it is told to
   stop. */
static void test_idle(void **state)
{
	(void)state;
	passes_ms = 100 * PATIENCE_MS;
	idle = stops = true;
	expect("hang", APSP_ECANCELLED, "cancelled");
	idle = stops = false;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_patience),
		cmocka_unit_test(test_slow),
		cmocka_unit_test(test_idle),
	};

	/* a trial in a group of one opens the first device */
	if (argc > 2 && strcmp(argv[1], "--trial") == 0)
		return strcmp(argv[argc - 2], "--turn") == 0 &&
				       strcmp(argv[argc - 1], "0") == 0
			       ? behave(argv[2])
			       : EXIT_FAILURE;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
