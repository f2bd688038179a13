/*
 * A worker over a queue of one job in memory and a temporary cache directory.
 */
#ifndef APSP_TESTS_WORKER_FIXTURE_H
#define APSP_TESTS_WORKER_FIXTURE_H

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "compute/worker/worker.h"
#include "daemon/base/clock.h"
#include "storage/jobs/job_tries.h"
#include "tests/patience.h"
#include "tests/settings_fixture.h"

enum {
	WAIT_S = 120,
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
	struct apsp_settings settings;
	struct apsp_worker *worker;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	const char *behaviour; /* what the graph file says; NULL: no job */
	const char *second;    /* the same for the second try */
	int stall_ms;
	int load_code;
	bool load_waits; /* for a stop */
	bool loading;
	unsigned int n_busy; /* loads that meet a limit, before one does not */
	unsigned int n_put_back;
	bool again; /* what is put back is queued again */
	int publish_code;
	bool cancel_in_claim;
	bool timed; /* its stages are measured from the claim on */
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

static inline void file_read(
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

static int op_claim(struct apsp_store *store, struct apsp_job_spec *out,
	struct apsp_err *err)
{
	struct fixture *f = (struct fixture *)store;
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
		.id = f->id,
		.graph = "g",
		.profile_name = "default",
		.stages.seconds[APSP_STAGE_STORE] = 0.5,
		.tries = f->tries,
	};
	if (f->timed)
		out->stages.since_s = apsp_clock_s();
	return 1;
}

/* A large graph file, of which a part is written until the stop. */
static int load_wait(struct fixture *f, const char *path,
	const struct apsp_stop *stop, struct apsp_err *err)
{
	unsigned int turns = 0;

	file_write(path, "part");
	pthread_mutex_lock(&f->mutex);
	f->loading = true;
	pthread_cond_broadcast(&f->changed);
	pthread_mutex_unlock(&f->mutex);
	while (!apsp_stop_reason(stop))
		if (!patience_lasts(&turns))
			return apsp_fail(err, APSP_EIO, "not stopped");
	return apsp_fail(err, APSP_ECANCELLED, "stopped");
}

static int op_load(struct apsp_store *store, const struct apsp_job_spec *job,
	const char *path, const struct apsp_stop *stop, struct apsp_err *err)
{
	struct fixture *f = (struct fixture *)store;

	(void)job;
	if (f->load_waits)
		return load_wait(f, path, stop, err);
	if (f->n_busy > 0) {
		f->n_busy--;
		return apsp_fail_errno(err, EMFILE, "open '%s'", path);
	}
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

static int op_publish(struct apsp_store *store, const struct apsp_job_spec *job,
	const struct apsp_job_progress *last, const char *path,
	struct apsp_err *err)
{
	struct fixture *f = (struct fixture *)store;

	(void)job;
	if (f->publish_code && f->publish_code != APSP_ECANCELLED)
		return apsp_fail(
			err, (enum apsp_code)f->publish_code, "no place");
	pthread_mutex_lock(&f->mutex);
	f->last = *last;
	ended(f, access(path, R_OK) == 0 ? END_PUBLISHED : END_NONE);
	return f->publish_code;
}

static void op_fail(struct apsp_store *store, const struct apsp_job_spec *job,
	const struct apsp_job_progress *last,
	const struct apsp_job_failure *failure, bool retry)
{
	struct fixture *f = (struct fixture *)store;

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

static void op_put_back(
	struct apsp_store *store, const struct apsp_job_spec *job)
{
	struct fixture *f = (struct fixture *)store;

	(void)job;
	pthread_mutex_lock(&f->mutex);
	f->n_put_back++;
	/* as the store does: the try does not count, and the worker is woken */
	f->queued = f->again;
	f->tries -= f->queued;
	if (f->queued)
		apsp_worker_wake(f->worker);
	ended(f, f->queued ? END_NONE : END_PUT_BACK);
}

static void op_progressed(void *ctx, uint64_t id, double told)
{
	struct fixture *f = ctx;
	struct apsp_job_present present;
	bool runs;

	(void)told;
	apsp_worker_present(f->worker, &present);
	runs = present.id == id;
	pthread_mutex_lock(&f->mutex);
	f->progressed = runs;
	if (runs && present.progress.progress > f->most_progress)
		f->most_progress = present.progress.progress;
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

	signal(SIGPIPE, SIG_IGN); /* as the daemon does */
	pthread_mutex_init(&f->mutex, NULL);
	pthread_cond_init(&f->changed, NULL);
	strcpy(f->cache_dir, "/tmp/apsp-worker-XXXXXX");
	if (!mkdtemp(f->cache_dir))
		return -1;
	settings_fixture_init(&f->settings, NULL, f->cache_dir);
	f->settings.device_memory = 1 << 20;
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
	apsp_settings_done(&f->settings);
	free(f);
	return 0;
}

static void start(struct fixture *f)
{
	char solver[512];
	struct apsp_err err = {0};
	struct apsp_worker_config config = {
		.solver = solver,
		.settings = &f->settings,
		.ops = {(struct apsp_store *)f, op_claim, op_load, op_publish,
			op_fail, op_put_back, op_progressed, f},
		.stall_ms = f->stall_ms,
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
	f->loading = false;
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

/* The process whose number is in the file has ended and is no zombie. */
static inline void assert_process_gone(
	const struct fixture *f, const char *name)
{
	char text[32];

	file_read(f, name, text, sizeof(text));
	assert_int_equal(kill((pid_t)strtol(text, NULL, 10), 0), -1);
	assert_int_equal(errno, ESRCH);
}

/* Stop the worker and see that no job's directory is left. */
static void stop(struct fixture *f)
{
	char path[128];

	apsp_worker_stop(f->worker);
	path_of(f, "jobs", path);
	assert_int_equal(rmdir(path), 0);
}

static inline void run(struct fixture *f, const char *behaviour)
{
	start(f);
	queue(f, behaviour);
	wait_until(f, NULL);
	stop(f);
}

static inline double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

#endif
