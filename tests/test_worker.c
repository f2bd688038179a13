/*
 * The worker with a solver that misbehaves in every way we know of
 * (fake_solver.sh) and a queue in memory.
 */
#include <errno.h>
#include <signal.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "compute/worker/worker.h"
#include "tests/worker_fixture.h"

static void test_success(void **state)
{
	struct fixture *f = *state;

	run(f, "success");
	assert_int_equal(f->end, END_PUBLISHED);
	assert_int_equal(f->tries, 1);
	assert_string_equal(f->last.phase, "distance");
	assert_string_equal(f->last.algorithm, "blocked-fw");
	assert_string_equal(f->last.device, "fa|st");
	assert_string_equal(f->last.element, "u16");
	assert_string_equal(f->last.plan, "blocked-fw: it is quick");
	assert_true(f->last.progress == 1.0);
	assert_true(f->progressed);
}

static void test_surroundings(void **state)
{
	struct fixture *f = *state;
	char text[64], group[64];
	int inherited;

	/* a descriptor without O_CLOEXEC must not reach the child */
	inherited = dup(STDERR_FILENO);
	run(f, "surroundings");
	close(inherited);
	assert_int_equal(f->end, END_PUBLISHED);
	/* the child's three, and the one that lists them */
	file_read(f, "fds", text, sizeof(text));
	assert_string_equal(text, "4");
	file_read(f, "group", group, sizeof(group));
	file_read(f, "pid", text, sizeof(text));
	assert_string_equal(text, group);
}

static void test_errors_are_final(void **state)
{
	struct fixture *f = *state;

	run(f, "falls");
	assert_int_equal(f->end, END_FAILED);
	assert_int_equal(f->tries, 1);
	assert_false(f->retry);
	assert_int_equal(f->err.code, APSP_EDATA);
	assert_string_equal(f->err.message, "stop here");
	assert_true(f->last.progress == 0.6 && f->last.eta_s == 1);

	run(f, "cycle");
	assert_int_equal(f->err.code, APSP_ENEGCYCLE);
	assert_string_equal(f->err.message, "a, b%, a");
	assert_int_equal(f->cycle_size, 5);
	assert_memory_equal(f->cycle, "a\0b%", 5);
}

static void test_deaths_are_retried(void **state)
{
	struct fixture *f = *state;

	run(f, "crash");
	assert_int_equal(f->end, END_FAILED);
	assert_int_equal(f->tries, 2);
	assert_int_equal(f->err.code, APSP_ESOLVER);
	assert_string_equal(f->err.message,
		"the solver was killed by signal 11 (Segmentation fault); its "
		"first words: first words | then: caf? went wrong");
	f->second = NULL;
	run(f, "status");
	assert_int_equal(f->tries, 2);
	assert_string_equal(f->err.message, "the solver ended with status 3");
	f->second = NULL;
	run(f, "silent");
	assert_int_equal(f->err.code, APSP_ESOLVER);
	assert_string_equal(f->err.message, "the solver ended with status 0");
	f->second = NULL;
	run(f, "cancelled");
	assert_int_equal(f->err.code, APSP_ESOLVER);
	f->second = NULL;
	run(f, "device");
	assert_int_equal(f->tries, 2);
	assert_int_equal(f->err.code, APSP_EDEVICE);
	assert_string_equal(f->err.message, "the device is gone");
	f->second = "success";
	run(f, "crash");
	assert_int_equal(f->end, END_PUBLISHED);
	assert_int_equal(f->tries, 2);
	assert_true(f->most_progress == 1.0);
}

static void test_noise(void **state)
{
	struct fixture *f = *state;

	run(f, "garbage");
	assert_int_equal(f->end, END_PUBLISHED);
	assert_int_equal(f->tries, 1);
	run(f, "litter");
	assert_int_equal(f->end, END_PUBLISHED);
}

static void test_after_done(void **state)
{
	struct fixture *f = *state;
	double begin = seconds_now();

	run(f, "late-crash");
	assert_int_equal(f->end, END_PUBLISHED);
	run(f, "lingers");
	assert_int_equal(f->end, END_PUBLISHED);
	assert_true(seconds_now() - begin < 100);
}

static void test_cancel(void **state)
{
	struct fixture *f = *state;
	const char *const behaviours[] = {"polite", "sleeps"};
	char text[8];

	start(f);
	for (int i = 0; i < 2; i++) {
		f->id++;
		queue(f, behaviours[i]);
		wait_until(f, &f->progressed);
		apsp_worker_cancel(f->worker, f->id + 1); /* another's */
		apsp_worker_cancel(f->worker, f->id);
		wait_until(f, NULL);
		assert_int_equal(f->end, END_FAILED);
		assert_int_equal(f->err.code, APSP_ECANCELLED);
		assert_false(f->retry);
	}
	/* this behaviour ignores TERM and ends at the end of stdin */
	file_read(f, "noticed", text, sizeof(text));
	/* cancelled while the queue claims the job */
	f->id++;
	f->cancel_in_claim = true;
	queue(f, "success");
	wait_until(f, NULL);
	assert_int_equal(f->end, END_FAILED);
	assert_int_equal(f->err.code, APSP_ECANCELLED);
	stop(f);
}

static void test_deaf_child(void **state)
{
	struct fixture *f = *state;
	double begin;

	start(f);
	queue(f, "hang");
	wait_until(f, &f->progressed);
	begin = seconds_now();
	apsp_worker_cancel(f->worker, f->id);
	wait_until(f, NULL);
	assert_int_equal(f->err.code, APSP_ECANCELLED);
	assert_process_gone(f, "pid");
	assert_true(seconds_now() - begin >= 1.9);
	assert_true(seconds_now() - begin < 60);
	stop(f);
}

/* A solver that tells nothing for too long is ended, tried once more, and then
   failed by name, though its driver talks. */
static void test_stalled(void **state)
{
	struct fixture *f = *state;
	double begin = seconds_now();

	f->stall_ms = 3000; /* a shell starts in less, on any machine */
	run(f, "stalls");
	assert_int_equal(f->end, END_FAILED);
	assert_int_equal(f->tries, 2);
	assert_int_equal(f->err.code, APSP_ESTALLED);
	assert_non_null(strstr(f->err.message, "in phase 'distance'"));
	assert_true(seconds_now() - begin < 100);
	assert_process_gone(f, "pid");
	f->second = "success";
	run(f, "stalls");
	assert_int_equal(f->end, END_PUBLISHED);
	/* silent for longer, but it has said so */
	f->second = NULL;
	run(f, "patient");
	assert_int_equal(f->end, END_PUBLISHED);
	assert_int_equal(f->tries, 1);
	/* a kernel is tried: the longer time counts, until the next event */
	run(f, "tries");
	assert_int_equal(f->end, END_PUBLISHED);
	assert_int_equal(f->tries, 1);
	f->second = "success";
	begin = seconds_now();
	run(f, "tried");
	assert_int_equal(f->tries, 2);
	assert_true(seconds_now() - begin < 55);
}

/* Run the solver; what our log says meanwhile, with a NUL. */
static void run_heard(
	struct fixture *f, const char *behaviour, char *said, size_t size)
{
	int kept = dup(STDERR_FILENO);
	char path[128];
	FILE *file;

	path_of(f, "said", path);
	file = fopen(path, "w+e");
	assert_non_null(file);
	dup2(fileno(file), STDERR_FILENO);
	run(f, behaviour);
	dup2(kept, STDERR_FILENO);
	close(kept);
	rewind(file);
	said[fread(said, 1, size - 1, file)] = '\0';
	fclose(file);
	assert_int_equal(f->end, END_PUBLISHED);
}

/* Lines of the solver keep their priority in our log. */
static void test_warning(void **state)
{
	struct fixture *f = *state;
	char said[4096];

	run_heard(f, "warns", said, sizeof(said));
	assert_non_null(
		strstr(said, " warning: solver: the fast form fails\n"));
	assert_non_null(strstr(said, " info: solver: <9>no priority\n"));
}

static size_t lines_with(const char *text, const char *part)
{
	size_t n = 0;

	for (; (text = strstr(text, part)); text += strlen(part))
		n++;
	return n;
}

/* Of too many lines the rest is left out, which is said, but no warning. */
static void test_flood(void **state)
{
	struct fixture *f = *state;
	static char said[1 << 16];

	run_heard(f, "floods", said, sizeof(said));
	assert_int_equal(lines_with(said, " info: solver: line "), 150);
	assert_int_equal(lines_with(said, " info: solver: more "), 50);
	assert_int_equal(
		lines_with(said, " info: solver: more lines are not shown\n"),
		1);
	assert_int_equal(lines_with(said, " warning: solver: "), 250);
}

static void test_stop_puts_back(void **state)
{
	struct fixture *f = *state;

	start(f);
	queue(f, "sleeps");
	wait_until(f, &f->progressed);
	apsp_worker_ask_stop(f->worker);
	wait_until(f, NULL);
	assert_int_equal(f->end, END_PUT_BACK);
	stop(f);
	assert_int_equal(f->tries, 1);
}

/*
 * While the graph file is written: the stages so far are known, a cancelled job
 * ends, and a stop puts the job back.
 */
static void test_stop_in_load(void **state)
{
	struct fixture *f = *state;
	struct apsp_job_present present;

	f->load_waits = true;
	start(f);
	queue(f, "success");
	wait_until(f, &f->loading);
	apsp_worker_present(f->worker, &present);
	assert_int_equal(present.id, f->id);
	assert_int_equal(present.tries, 1);
	assert_true(present.progress.stages.seconds[APSP_STAGE_STORE] == 0.5);
	assert_true(present.progress.eta_s < 0);
	apsp_worker_cancel(f->worker, f->id);
	wait_until(f, NULL);
	assert_int_equal(f->end, END_FAILED);
	assert_int_equal(f->err.code, APSP_ECANCELLED);
	assert_string_equal(f->err.message, "cancelled on request");
	f->id++;
	queue(f, "success");
	wait_until(f, &f->loading);
	apsp_worker_ask_stop(f->worker);
	wait_until(f, NULL);
	assert_int_equal(f->end, END_PUT_BACK);
	stop(f);
}

static void test_grandchildren(void **state)
{
	struct fixture *f = *state;

	/* as for process 1 in a container: orphans become ours */
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
	run(f, "grandchildren");
	assert_int_equal(f->end, END_PUBLISHED);
	assert_process_gone(f, "grandchild");
	prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
}

/* A limit that passes, of descriptors, say, costs no try, and no busy loop. */
static void test_limit_passes(void **state)
{
	struct fixture *f = *state;
	struct timespec began, ended_at;

	f->n_busy = 3;
	f->again = true;
	clock_gettime(CLOCK_MONOTONIC, &began);
	run(f, "success");
	clock_gettime(CLOCK_MONOTONIC, &ended_at);
	assert_int_equal(f->end, END_PUBLISHED);
	assert_int_equal(f->n_put_back, 3);
	assert_int_equal(f->tries, 1);
	/* 1, 2 and 4 s */
	assert_true(ended_at.tv_sec - began.tv_sec >= 6);
}

static void test_queue_side_fails(void **state)
{
	struct fixture *f = *state;

	f->load_code = APSP_ENOSPACE;
	run(f, "success");
	assert_int_equal(f->err.code, APSP_ENOSPACE);
	assert_false(f->retry);
	f->load_code = 0;
	f->publish_code = APSP_EIO;
	run(f, "success");
	assert_int_equal(f->end, END_FAILED);
	assert_int_equal(f->err.code, APSP_EIO);
	f->publish_code = APSP_ECANCELLED;
	run(f, "success");
	assert_int_equal(f->end, END_PUBLISHED); /* and no failure after it */
	f->publish_code = APSP_EDAMAGED;
	f->second = NULL;
	run(f, "success");
	assert_int_equal(f->tries, 2);
	assert_int_equal(f->err.code, APSP_EDAMAGED);
}

static void test_no_solver(void **state)
{
	struct fixture *f = *state;
	struct apsp_worker_config config = {
		.solver = "/nowhere/apsp-solve",
		.settings = &f->settings,
		.ops = {(struct apsp_store *)f, op_claim, op_load, op_publish,
			op_fail, op_put_back, NULL, NULL},
	};
	struct apsp_err err;

	assert_int_equal(apsp_worker_start(&config, &f->worker, &err), 0);
	queue(f, "success");
	wait_until(f, NULL);
	assert_int_equal(f->err.code, APSP_ESOLVER);
	assert_non_null(strstr(f->err.message, "/nowhere/apsp-solve"));
	assert_int_equal(
		apsp_worker_devices(f->worker, NULL, 0, &err), APSP_EDEVICE);
	stop(f);
}

static void test_devices(void **state)
{
	static const char *const failing[] = {"error", "unchosen", "dies"};
	struct fixture *f = *state;
	struct apsp_device_info devices[4];
	struct apsp_err err;

	for (size_t i = 0; i < sizeof(failing) / sizeof(*failing); i++) {
		devices_set(f, failing[i]);
		run(f, "success"); /* tried all the same */
		assert_int_equal(f->end, END_PUBLISHED);
	}
	start(f);
	queue(f, "success");
	wait_until(f, NULL);
	assert_int_equal(
		apsp_worker_devices(f->worker, devices, 4, &err), APSP_EDEVICE);
	assert_string_equal(err.message, "the solver ended with status 7");
	devices_set(f, "unchosen");
	queue(f, "success");
	wait_until(f, NULL);
	assert_int_equal(
		apsp_worker_devices(f->worker, devices, 4, &err), APSP_EDEVICE);
	assert_non_null(strstr(err.message, "'; there is 'slow'"));
	/* asked again before the next job */
	devices_set(f, "two");
	queue(f, "success");
	wait_until(f, NULL);
	assert_int_equal(apsp_worker_devices(f->worker, devices, 4, &err), 2);
	assert_string_equal(devices[1].name, "fa|st");
	assert_true(devices[1].chosen);
	assert_int_equal(apsp_worker_devices(f->worker, devices, 1, &err), 2);
	stop(f);
}

/* What was told counts, although a driver crashes or hangs at exit. */
static void test_devices_after_done(void **state)
{
	static const char *const leaving[] = {"two-crashes", "two-lingers"};
	struct fixture *f = *state;
	struct apsp_device_info devices[4];
	struct apsp_err err = {0};

	for (size_t i = 0; i < sizeof(leaving) / sizeof(*leaving); i++) {
		double begin = seconds_now();

		devices_set(f, leaving[i]);
		start(f);
		queue(f, "success"); /* after the list */
		wait_until(f, NULL);
		assert_true(seconds_now() - begin < 50);
		assert_int_equal(
			apsp_worker_devices(f->worker, devices, 4, &err), 2);
		stop(f);
	}
	/* status 0 says nothing where `done` is missing */
	devices_set(f, "cut");
	start(f);
	queue(f, "success");
	wait_until(f, NULL);
	assert_int_equal(
		apsp_worker_devices(f->worker, devices, 4, &err), APSP_EDEVICE);
	assert_string_equal(err.message, "the solver ended with status 0");
	stop(f);
}

/* A look for devices before a job is no part of handing its graph over. */
static void test_look_is_opening(void **state)
{
	struct fixture *f = *state;
	const double *seconds = f->last.stages.seconds;

	f->timed = true;
	devices_set(f, "slow");
	run(f, "success");
	assert_int_equal(f->end, END_PUBLISHED);
	assert_true(seconds[APSP_STAGE_OPEN] >= 2);
	assert_true(seconds[APSP_STAGE_GRAPH_FILE] > 0);
	assert_true(seconds[APSP_STAGE_GRAPH_FILE] < 2);
}

static void test_leftovers(void **state)
{
	struct fixture *f = *state;
	char path[128];

	path_of(f, "jobs", path);
	assert_int_equal(mkdir(path, 0700), 0);
	path_of(f, "jobs/3", path);
	assert_int_equal(mkdir(path, 0700), 0);
	path_of(f, "jobs/3/tables", path);
	file_write(path, "old");
	start(f);
	assert_int_equal(access(path, F_OK), -1);
	stop(f);
}

/* A cache may be emptied at any time. */
static void test_emptied_cache(void **state)
{
	struct fixture *f = *state;
	char path[128];

	start(f);
	path_of(f, "jobs", path);
	assert_int_equal(rmdir(path), 0);
	queue(f, "success");
	wait_until(f, NULL);
	assert_int_equal(f->end, END_PUBLISHED);
	/* while a job runs */
	f->second = "success";
	queue(f, "emptied");
	wait_until(f, NULL);
	assert_int_equal(f->end, END_PUBLISHED);
	assert_int_equal(f->tries, 2);
	stop(f);
}

int main(void)
{
#define WORKER_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		WORKER_TEST(test_success),
		WORKER_TEST(test_surroundings),
		WORKER_TEST(test_errors_are_final),
		WORKER_TEST(test_deaths_are_retried),
		WORKER_TEST(test_noise),
		WORKER_TEST(test_after_done),
		WORKER_TEST(test_cancel),
		WORKER_TEST(test_deaf_child),
		WORKER_TEST(test_stalled),
		WORKER_TEST(test_warning),
		WORKER_TEST(test_flood),
		WORKER_TEST(test_stop_puts_back),
		WORKER_TEST(test_stop_in_load),
		WORKER_TEST(test_grandchildren),
		WORKER_TEST(test_limit_passes),
		WORKER_TEST(test_queue_side_fails),
		WORKER_TEST(test_no_solver),
		WORKER_TEST(test_devices),
		WORKER_TEST(test_devices_after_done),
		WORKER_TEST(test_look_is_opening),
		WORKER_TEST(test_leftovers),
		WORKER_TEST(test_emptied_cache),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
