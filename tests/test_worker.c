/*
 * The worker with a solver that misbehaves in every way we know of
 * (fake_solver.sh) and a queue in memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "compute/worker.h"

enum {
	WAIT_S = 30,
};

enum end {
	END_NONE,
	END_PUBLISHED,
	END_FAILED,
	END_PUT_BACK,
};

/* A queue of one job, tried twice at most. */
struct fixture {
	char cache_dir[64];
	struct apsp_worker *worker;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	const char *behaviour; /* what the graph file says; NULL: no job */
	const char *second;    /* the same for the second try */
	int load_code;
	int publish_code;
	bool cancel_in_claim;
	bool queued;
	uint64_t id;
	unsigned int tries;
	bool progressed;
	double most_progress;
	enum end end;
	struct apsp_err err; /* of the last failure */
	bool retry;
	char cycle[64];
	size_t cycle_size;
	struct apsp_job_progress last;
};

static void path_of(const struct fixture *f, const char *name, char out[128])
{
	snprintf(out, 128, "%s/%s", f->cache_dir, name);
}

static void file_write(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");

	if (file) {
		fputs(text, file);
		fclose(file);
	}
}

static void file_read(
	const struct fixture *f, const char *name, char *out, int size)
{
	char path[128];
	FILE *file;

	path_of(f, name, path);
	file = fopen(path, "re");
	assert_non_null(file);
	assert_non_null(fgets(out, size, file));
	out[strcspn(out, "\n")] = '\0';
	fclose(file);
}

static int op_claim(void *ctx, struct apsp_job_spec *out, struct apsp_err *err)
{
	struct fixture *f = ctx;
	bool queued, cancel;

	(void)err;
	pthread_mutex_lock(&f->mutex);
	queued = f->queued;
	cancel = queued && f->cancel_in_claim;
	f->queued = false;
	f->tries += queued;
	pthread_mutex_unlock(&f->mutex);
	if (cancel)
		apsp_worker_cancel(f->worker, f->id);
	if (!queued)
		return 0;
	*out = (struct apsp_job_spec){
		.id = f->id, .graph = "g", .profile_name = "default"};
	return 1;
}

static int op_load(void *ctx, const struct apsp_job_spec *job, const char *path,
	struct apsp_err *err)
{
	const struct fixture *f = ctx;

	(void)job;
	if (f->load_code)
		return apsp_fail(err, (enum apsp_code)f->load_code, "no load");
	file_write(path, f->tries == 2 ? f->second : f->behaviour);
	return 0;
}

static void ended(struct fixture *f, enum end end)
{
	f->end = end;
	pthread_cond_broadcast(&f->changed);
	pthread_mutex_unlock(&f->mutex);
}

static int op_publish(void *ctx, const struct apsp_job_spec *job,
	const struct apsp_job_progress *last, const char *path,
	struct apsp_err *err)
{
	struct fixture *f = ctx;

	(void)job;
	if (f->publish_code && f->publish_code != APSP_ECANCELLED)
		return apsp_fail(
			err, (enum apsp_code)f->publish_code, "no place");
	pthread_mutex_lock(&f->mutex);
	f->last = *last;
	ended(f, access(path, R_OK) == 0 ? END_PUBLISHED : END_NONE);
	return f->publish_code;
}

static void op_fail(void *ctx, const struct apsp_job_spec *job,
	const struct apsp_job_progress *last,
	const struct apsp_job_failure *failure, bool retry)
{
	struct fixture *f = ctx;

	(void)job;
	pthread_mutex_lock(&f->mutex);
	f->last = *last;
	f->err = failure->err;
	f->retry = retry;
	f->cycle_size = failure->cycle_size;
	if (failure->cycle_size > 0 && failure->cycle_size < sizeof(f->cycle))
		memcpy(f->cycle, failure->cycle, failure->cycle_size);
	f->queued = retry && f->tries < APSP_JOB_TRIES;
	ended(f, f->queued ? END_NONE : END_FAILED);
}

static void op_put_back(void *ctx, const struct apsp_job_spec *job)
{
	struct fixture *f = ctx;

	(void)job;
	pthread_mutex_lock(&f->mutex);
	ended(f, END_PUT_BACK);
}

static void op_progressed(void *ctx, uint64_t id)
{
	struct fixture *f = ctx;
	struct apsp_job_progress progress;
	bool runs = apsp_worker_progress(f->worker, id, &progress);

	pthread_mutex_lock(&f->mutex);
	f->progressed = runs;
	if (runs && progress.progress > f->most_progress)
		f->most_progress = progress.progress;
	pthread_cond_broadcast(&f->changed);
	pthread_mutex_unlock(&f->mutex);
}

static void devices_set(const struct fixture *f, const char *behaviour)
{
	char path[128];

	path_of(f, "devices", path);
	file_write(path, behaviour);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	char path[128];

	pthread_mutex_init(&f->mutex, NULL);
	pthread_cond_init(&f->changed, NULL);
	strcpy(f->cache_dir, "/tmp/apsp-worker-XXXXXX");
	if (!mkdtemp(f->cache_dir))
		return -1;
	path_of(f, "devices", path);
	setenv("FAKE_DEVICES", path, 1);
	devices_set(f, "two");
	f->id = 17;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", f->cache_dir);
	if (system(command) != 0)
		return -1;
	pthread_cond_destroy(&f->changed);
	pthread_mutex_destroy(&f->mutex);
	free(f);
	return 0;
}

static void start(struct fixture *f)
{
	char solver[512];
	struct apsp_err err = {0};
	struct apsp_worker_config config = {
		.solver = solver,
		.cache_dir = f->cache_dir,
		.device = "auto",
		.device_memory = 1 << 20,
		.ops = {f, op_claim, op_load, op_publish, op_fail, op_put_back,
			op_progressed},
	};

	snprintf(solver, sizeof(solver), "%s/tests/fake_solver.sh",
		getenv("APSP_SOURCE_ROOT"));
	assert_int_equal(apsp_worker_start(&config, &f->worker, &err), 0);
}

/* Queue a job with this behaviour for the running worker. */
static void queue(struct fixture *f, const char *behaviour)
{
	pthread_mutex_lock(&f->mutex);
	f->behaviour = behaviour;
	if (!f->second)
		f->second = behaviour;
	f->tries = 0;
	f->end = END_NONE;
	f->progressed = false;
	f->queued = true;
	pthread_mutex_unlock(&f->mutex);
	apsp_worker_wake(f->worker);
}

static void wait_until(struct fixture *f, const bool *flag)
{
	struct timespec deadline;

	clock_gettime(CLOCK_REALTIME, &deadline);
	deadline.tv_sec += WAIT_S;
	pthread_mutex_lock(&f->mutex);
	while (flag ? !*flag : f->end == END_NONE)
		if (pthread_cond_timedwait(&f->changed, &f->mutex, &deadline))
			break;
	assert_true(flag ? *flag : f->end != END_NONE);
	pthread_mutex_unlock(&f->mutex);
}

/* Stop the worker and see that no job's directory is left. */
static void stop(struct fixture *f)
{
	char path[128];

	apsp_worker_stop(f->worker);
	path_of(f, "jobs", path);
	assert_int_equal(rmdir(path), 0);
}

static void run(struct fixture *f, const char *behaviour)
{
	start(f);
	queue(f, behaviour);
	wait_until(f, NULL);
	stop(f);
}

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

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
	assert_true(f->last.progress == 1.0);
	assert_true(f->progressed);
}

static void test_surroundings(void **state)
{
	struct fixture *f = *state;
	char text[512], group[64], expected[256];
	int inherited;

	/* a descriptor that someone forgot to mark must not get through */
	inherited = dup(STDERR_FILENO);
	unsetenv("POCL_CACHE_DIR");
	setenv("XDG_CACHE_HOME", "/mine", 1);
	setenv("NOTIFY_SOCKET", "/nobody", 1);
	setenv("PATH", "/bin:/sbin", 1);
	run(f, "env");
	close(inherited);
	unsetenv("NOTIFY_SOCKET");
	assert_int_equal(f->end, END_PUBLISHED);
	file_read(f, "path", text, sizeof(text));
	assert_string_equal(text, "/bin:/sbin:/usr/bin");
	file_read(f, "caches", text, sizeof(text));
	snprintf(expected, sizeof(expected), "%s/pocl-kernels|/mine|",
		f->cache_dir);
	assert_string_equal(text, expected);
	/* its three and the one that lists them */
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
		"last words: caf? went wrong | before: first words");
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
	assert_true(seconds_now() - begin < 20);
}

static void test_cancel(void **state)
{
	struct fixture *f = *state;
	const char *const behaviours[] = {"polite", "sleeps"};

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
	/* cancelled between the claim in the queue and our knowing of it */
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
	assert_true(seconds_now() - begin >= 1.9);
	assert_true(seconds_now() - begin < 10);
	stop(f);
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

static void test_grandchildren(void **state)
{
	struct fixture *f = *state;
	char text[32];

	/* as for process 1 in a container: orphans become ours */
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
	run(f, "grandchildren");
	assert_int_equal(f->end, END_PUBLISHED);
	file_read(f, "grandchild", text, sizeof(text));
	assert_int_equal(kill((pid_t)strtol(text, NULL, 10), 0), -1);
	assert_int_equal(errno, ESRCH);
	prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
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
		.cache_dir = f->cache_dir,
		.device = "auto",
		.ops = {f, op_claim, op_load, op_publish, op_fail, op_put_back,
			NULL},
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
		WORKER_TEST(test_stop_puts_back),
		WORKER_TEST(test_grandchildren),
		WORKER_TEST(test_queue_side_fails),
		WORKER_TEST(test_no_solver),
		WORKER_TEST(test_devices),
		WORKER_TEST(test_leftovers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
