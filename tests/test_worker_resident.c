/*
 * The worker and a solver that stays after its job (fake_solver.sh, "stays").
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compute/worker/worker.h"
#include "tests/worker_fixture.h"

/* How many lines of the file name differ from the one before. */
static int n_different(const struct fixture *f, const char *name)
{
	char path[128], line[64], before[64] = "";
	FILE *file;
	int n = 0;

	path_of(f, name, path);
	file = fopen(path, "re");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		n += strcmp(line, before) != 0;
		strcpy(before, line);
	}
	fclose(file);
	return n;
}

static void publish_next(struct fixture *f, const char *behaviour)
{
	f->id++;
	f->second = NULL;
	queue(f, behaviour);
	wait_until(f, NULL);
	assert_int_equal(f->end, END_PUBLISHED);
}

/* Estimates know what a solver that waits holds, and what its job took. */
static void test_estimates(void **state)
{
	const struct apsp_workload work = {.n_vertices = 10,
		.n_arcs = 5,
		.element = APSP_ELEMENT_U16,
		.distance = APSP_ELEMENT_U16,
		.reachable = 1};
	struct apsp_worker_estimate before, now;
	struct fixture *f = *state;
	double began = seconds_now();

	start(f);
	publish_next(f, "success");
	assert_int_equal(apsp_worker_estimate(f->worker, &work, UINT64_MAX,
				 "blocked-fw", &before, NULL),
		0);
	assert_int_equal(before.plan.learnt_from, 0);
	publish_next(f, "stays-open");
	do {
		assert_true(seconds_now() < began + WAIT_S);
		usleep(1000);
		assert_int_equal(apsp_worker_estimate(f->worker, &work,
					 UINT64_MAX, "blocked-fw", &now, NULL),
			0);
	} while (now.plan.host_bytes < 900000000);
	assert_true(before.plan.host_bytes < 900000000);
	assert_int_equal(now.plan.learnt_from, 1);
	stop(f);
}

/* One solver has many jobs, and is replaced after fifty. */
static void test_resident(void **state)
{
	struct fixture *f = *state;
	char text[32];

	start(f);
	for (int i = 0; i < 50; i++)
		publish_next(f, "stays");
	assert_int_equal(n_different(f, "pids"), 1);
	file_read(f, "stay", text, sizeof(text));
	assert_string_equal(text, "stay 300");
	publish_next(f, "stays");
	assert_int_equal(n_different(f, "pids"), 2);
	stop(f);
	assert_process_gone(f, "pids");
}

static pid_t resident_pid(const struct fixture *f)
{
	char path[128], line[64], last[64] = "";
	FILE *file;

	path_of(f, "pids", path);
	file = fopen(path, "re");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		strcpy(last, line);
	fclose(file);
	return (pid_t)strtol(last, NULL, 10);
}

static double estimate_s(const struct fixture *f)
{
	const struct apsp_workload work = {.n_vertices = 10,
		.element = APSP_ELEMENT_I32,
		.distance = APSP_ELEMENT_I32,
		.reachable = 1};
	struct apsp_worker_estimate estimate = {0};

	assert_int_equal(apsp_worker_estimate(f->worker, &work, UINT64_MAX,
				 "blocked-fw", &estimate, NULL),
		0);
	return apsp_plan_choice(&estimate.plan)->seconds;
}

/* When the second begins, the worker has noted what came of the first. */
static void publish_two(struct fixture *f, const char *behaviour)
{
	publish_next(f, behaviour);
	publish_next(f, behaviour);
}

/* A solver that stays has the device open if one of its jobs took it. */
static void test_device_open(void **state)
{
	struct fixture *f = *state;
	double open_s, closed_s;

	devices_set(f, "large");
	start(f);
	publish_two(f, "stays-host");
	closed_s = estimate_s(f);
	publish_two(f, "stays-open");
	open_s = estimate_s(f);
	assert_true(open_s < closed_s);
	publish_two(f, "stays-host");
	assert_int_equal(n_different(f, "pids"), 1);
	assert_true(estimate_s(f) == open_s);
	/* the next one has not opened it */
	assert_int_equal(kill(resident_pid(f), SIGKILL), 0);
	publish_two(f, "stays-host");
	assert_int_equal(n_different(f, "pids"), 2);
	assert_true(estimate_s(f) == closed_s);
	stop(f);
}

static void test_no_resident(void **state)
{
	struct fixture *f = *state;
	char text[32];

	f->settings.solver_idle = 0;
	start(f);
	publish_next(f, "stays");
	assert_process_gone(f, "pids");
	publish_next(f, "stays");
	assert_int_equal(n_different(f, "pids"), 2);
	file_read(f, "stay", text, sizeof(text));
	assert_string_equal(text, "stay none");
	stop(f);
}

/* A resident that was killed, or hangs, takes no job with it. */
static void test_resident_lost(void **state)
{
	struct fixture *f = *state;

	f->stall_ms = 3000;
	start(f);
	publish_next(f, "stays");
	assert_int_equal(kill(resident_pid(f), SIGKILL), 0);
	publish_next(f, "stays");
	assert_int_equal(f->tries, 1);
	assert_int_equal(n_different(f, "pids"), 2);
	/* alive, and deaf */
	assert_int_equal(kill(resident_pid(f), SIGSTOP), 0);
	publish_next(f, "stays");
	assert_int_equal(f->tries, 1);
	assert_int_equal(n_different(f, "pids"), 3);
	stop(f);
}

/* What ends before it has begun with a job is replaced, and no try is lost. */
static void test_resident_vanishes(void **state)
{
	struct fixture *f = *state;
	struct apsp_err *err = &f->err;

	start(f);
	publish_next(f, "stays");
	/* the next solver vanishes too: that is a try */
	f->second = NULL;
	queue(f, "vanishes");
	wait_until(f, NULL);
	assert_int_equal(f->end, END_FAILED);
	assert_int_equal(f->tries, 2);
	assert_int_equal(err->code, APSP_ESOLVER);
	f->second = NULL;
	publish_next(f, "stays");
	f->second = "stays";
	queue(f, "vanishes-late");
	wait_until(f, NULL);
	assert_int_equal(f->end, END_PUBLISHED);
	assert_int_equal(f->tries, 2);
	/* stays, the same in its second job, stays */
	assert_int_equal(n_different(f, "pids"), 3);
	stop(f);
}

/* An error ends the resident with its job, as does who cancels that. */
static void test_resident_fails(void **state)
{
	struct fixture *f = *state;

	start(f);
	publish_next(f, "stays");
	f->id++;
	queue(f, "falls");
	wait_until(f, NULL);
	assert_int_equal(f->end, END_FAILED);
	assert_string_equal(f->err.message, "stop here");
	publish_next(f, "stays");
	assert_int_equal(n_different(f, "pids"), 2);
	f->id++;
	queue(f, "hang");
	wait_until(f, &f->progressed);
	apsp_worker_cancel(f->worker, f->id);
	wait_until(f, NULL);
	assert_int_equal(f->err.code, APSP_ECANCELLED);
	assert_process_gone(f, "pid");
	publish_next(f, "stays");
	assert_int_equal(n_different(f, "pids"), 3);
	stop(f);
}

/* A solver whose tables are damaged gets no other job. */
static void test_resident_damages(void **state)
{
	struct fixture *f = *state;

	f->publish_code = APSP_EDAMAGED;
	start(f);
	queue(f, "stays");
	wait_until(f, NULL);
	assert_int_equal(f->end, END_FAILED);
	assert_int_equal(f->err.code, APSP_EDAMAGED);
	assert_int_equal(f->tries, 2);
	assert_int_equal(n_different(f, "pids"), 2);
	f->publish_code = 0;
	publish_two(f, "stays");
	assert_int_equal(n_different(f, "pids"), 3);
	stop(f);
}

int main(void)
{
#define WORKER_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		WORKER_TEST(test_estimates),
		WORKER_TEST(test_resident),
		WORKER_TEST(test_device_open),
		WORKER_TEST(test_no_resident),
		WORKER_TEST(test_resident_lost),
		WORKER_TEST(test_resident_vanishes),
		WORKER_TEST(test_resident_fails),
		WORKER_TEST(test_resident_damages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
