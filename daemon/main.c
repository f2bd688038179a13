/*
 * apspd: wires storage, worker and server together, then waits to be told to
 * stop. It alone knows all three; they meet in the functions below.
 *
 *	server → store → (hooks) → worker, server
 *	         worker → (ops) → store
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "api/listen.h"
#include "api/server.h"
#include "compute/solve.h"
#include "compute/worker.h"
#include "daemon/base/auto.h"
#include "daemon/base/log.h"
#include "daemon/notify.h"
#include "daemon/options.h"
#include "daemon/process.h"
#include "storage/jobs.h"
#include "storage/store.h"

enum {
	STATUS_FAILED = 1,
	STATUS_WRONG = 2,
	MAX_QUEUED_JOBS = 256,
	DRAIN_MS = 2000, /* requests under way when we are told to stop */
	STOP_MS = 4700,	 /* everything, the solver's end included */
};

struct parts {
	struct apsp_listener listeners[APSP_LISTENERS_MAX];
	size_t n_listeners;
	struct apsp_store *store;
	struct apsp_worker *worker;
	struct apsp_server *server;
	/*
	 * What the store's and the worker's threads may call just now: set when
	 * a part has started, cleared before it is stopped.
	 */
	pthread_mutex_t mutex;
	struct apsp_worker *live_worker;
	struct apsp_server *live_server;
};

static void hook_jobs_queued(void *ctx)
{
	struct parts *parts = ctx;

	pthread_mutex_lock(&parts->mutex);
	if (parts->live_worker)
		apsp_worker_wake(parts->live_worker);
	pthread_mutex_unlock(&parts->mutex);
}

static void hook_job_changed(void *ctx, uint64_t id)
{
	struct parts *parts = ctx;

	pthread_mutex_lock(&parts->mutex);
	if (parts->live_server)
		apsp_server_job_changed(parts->live_server, id);
	pthread_mutex_unlock(&parts->mutex);
}

static void hook_job_unwanted(void *ctx, uint64_t id)
{
	struct parts *parts = ctx;

	pthread_mutex_lock(&parts->mutex);
	if (parts->live_worker)
		apsp_worker_cancel(parts->live_worker, id);
	pthread_mutex_unlock(&parts->mutex);
}

static void hook_tables_lost(
	void *ctx, const char *revision, const char *profile_hash)
{
	(void)ctx;
	apsp_log(APSP_LOG_WARNING,
		"tables found damaged, computing them again revision=%s "
		"profile_hash=%s",
		revision, profile_hash);
}

static int op_claim(void *ctx, struct apsp_job_spec *out, struct apsp_err *err)
{
	const struct parts *parts = ctx;

	return apsp_jobs_claim(parts->store, out, err);
}

static int op_load(void *ctx, const struct apsp_job_spec *job, const char *path,
	struct apsp_err *err)
{
	const struct parts *parts = ctx;

	return apsp_jobs_load(parts->store, job, path, err);
}

static int op_publish(void *ctx, const struct apsp_job_spec *job,
	const struct apsp_job_progress *last, const char *path,
	struct apsp_err *err)
{
	const struct parts *parts = ctx;

	return apsp_jobs_publish(parts->store, job, last, path, err);
}

static void op_fail(void *ctx, const struct apsp_job_spec *job,
	const struct apsp_job_progress *last,
	const struct apsp_job_failure *failure, bool retry)
{
	const struct parts *parts = ctx;

	apsp_jobs_fail(parts->store, job, last, failure, retry);
}

static void op_put_back(void *ctx, const struct apsp_job_spec *job)
{
	const struct parts *parts = ctx;

	apsp_jobs_put_back(parts->store, job);
}

static int store_start(struct parts *parts, const struct apsp_options *options,
	struct apsp_err *err)
{
	const struct apsp_store_config config = {
		.state_dir = options->state_dir,
		.cache_dir = options->cache_dir,
		.max_queued_jobs = MAX_QUEUED_JOBS,
		.hooks = {parts, hook_jobs_queued, hook_job_changed,
			hook_job_unwanted, hook_tables_lost},
	};

	return apsp_store_open(&config, &parts->store, err);
}

static int listeners_open(struct parts *parts,
	const struct apsp_options *options, struct apsp_err *err)
{
	for (size_t i = 0; i < options->n_listen; i++) {
		int r = apsp_listener_open(options->listen[i],
			&parts->listeners[parts->n_listeners], err);

		if (r < 0)
			return r;
		parts->n_listeners++;
	}
	return 0;
}

static int worker_start(struct parts *parts, const struct apsp_options *options,
	struct apsp_err *err)
{
	char solver[PATH_MAX];
	const struct apsp_worker_config config = {
		.solver = solver,
		.cache_dir = options->cache_dir,
		.device = options->device,
		.device_memory = options->device_memory,
		.ops = {parts, op_claim, op_load, op_publish, op_fail,
			op_put_back, hook_job_changed},
	};
	int r;

	r = apsp_process_find_solver(solver, err);
	if (r < 0)
		return r;
	r = apsp_worker_start(&config, &parts->worker, err);
	if (r < 0)
		return r;
	pthread_mutex_lock(&parts->mutex);
	parts->live_worker = parts->worker;
	pthread_mutex_unlock(&parts->mutex);
	/* a job that was queued before the store could wake it */
	apsp_worker_wake(parts->worker);
	return 0;
}

static int server_start(struct parts *parts, const struct apsp_options *options,
	struct apsp_err *err)
{
	int fds[APSP_LISTENERS_MAX];
	const struct apsp_server_config config = {
		.store = parts->store,
		.worker = parts->worker,
		.listeners = fds,
		.n_listeners = parts->n_listeners,
		.allowed_hosts = (const char *const *)options->allowed_hosts,
		.n_allowed_hosts = options->n_allowed_hosts,
		.n_threads = options->n_threads,
		.version = APSP_VERSION,
		.algorithms = apsp_algorithm_names,
		.hops_only = apsp_algorithm_hops_only,
		.limits = apsp_server_default_limits,
	};
	int r;

	for (size_t i = 0; i < parts->n_listeners; i++)
		fds[i] = parts->listeners[i].fd;
	r = apsp_server_start(&config, &parts->server, err);
	if (r < 0)
		return r;
	pthread_mutex_lock(&parts->mutex);
	parts->live_server = parts->server;
	pthread_mutex_unlock(&parts->mutex);
	return 0;
}

static int parts_start(struct parts *parts, const struct apsp_options *options,
	struct apsp_err *err)
{
	int r;

	/* before there are threads: it changes the environment */
	r = apsp_listeners_inherit(parts->listeners, APSP_LISTENERS_MAX, err);
	if (r < 0)
		return r;
	parts->n_listeners = (size_t)r;
	r = store_start(parts, options, err);
	if (r == 0 && parts->n_listeners == 0)
		r = listeners_open(parts, options, err);
	if (r == 0)
		r = worker_start(parts, options, err);
	if (r == 0)
		r = server_start(parts, options, err);
	return r;
}

/* In the order that leaves nobody with a part that is gone. */
static void parts_stop(struct parts *parts)
{
	pthread_mutex_lock(&parts->mutex);
	parts->live_server = NULL;
	parts->live_worker = NULL;
	pthread_mutex_unlock(&parts->mutex);
	if (parts->worker)
		apsp_worker_ask_stop(parts->worker);
	if (parts->server)
		apsp_server_stop(parts->server, DRAIN_MS);
	if (parts->worker)
		apsp_worker_stop(parts->worker);
	if (parts->store)
		apsp_store_close(parts->store);
	for (size_t i = 0; i < parts->n_listeners; i++)
		apsp_listener_close(&parts->listeners[i]);
	pthread_mutex_destroy(&parts->mutex);
}

static void notify(const char *state)
{
	struct apsp_err err;

	if (apsp_notify_send(state, &err) < 0)
		apsp_log(APSP_LOG_WARNING, "%s", err.message);
}

/* The line that scripts read, then the service manager. */
static void announce(
	const struct parts *parts, const struct apsp_options *options)
{
	char line[APSP_LISTENERS_MAX * (sizeof(parts->listeners->address) + 1)];
	char state[sizeof(line) + 64];
	size_t used = 0;

	line[0] = '\0';
	for (size_t i = 0; i < parts->n_listeners; i++)
		used += (size_t)snprintf(line + used, sizeof(line) - used,
			" %s", parts->listeners[i].address);
	printf("apspd listening%s\n", line);
	fflush(stdout);
	apsp_log(APSP_LOG_NOTICE,
		"apspd started version=%s state_dir=\"%s\" cache_dir=\"%s\" "
		"device=\"%s\" threads=%u listen=\"%s\"",
		APSP_VERSION, options->state_dir, options->cache_dir,
		options->device, options->n_threads, line + (used > 0));
	snprintf(state, sizeof(state), "READY=1\nSTATUS=Serving%s", line);
	notify(state);
}

/* Returns the signal that asked us to stop. */
static int stop_wait(const sigset_t *stops)
{
	/* twice as often as asked for, so that one late turn is no death */
	uint64_t pause_us = apsp_notify_watchdog_us() / 2;
	const struct timespec pause = {
		.tv_sec = (time_t)(pause_us / 1000000),
		.tv_nsec = (long)(pause_us % 1000000 * 1000),
	};

	for (;;) {
		int found =
			sigtimedwait(stops, NULL, pause_us > 0 ? &pause : NULL);

		if (found > 0)
			return found;
		if (errno == EAGAIN)
			notify("WATCHDOG=1");
	}
}

static int complain(const struct apsp_err *err)
{
	fprintf(stderr, "apspd: %s\n", err->message);
	return err->code == APSP_EMALFORMED ? STATUS_WRONG : STATUS_FAILED;
}

static int serve(const struct apsp_options *options)
{
	APSP_AUTO(parts_stop)
	struct parts parts = {.mutex = PTHREAD_MUTEX_INITIALIZER};
	struct apsp_err err;
	sigset_t stops;

	apsp_log_set_level(options->log_level);
	apsp_process_block_stops(&stops);
	if (parts_start(&parts, options, &err) < 0)
		return complain(&err);
	announce(&parts, options);
	apsp_log(APSP_LOG_NOTICE, "apspd stops signal=%s",
		sigabbrev_np(stop_wait(&stops)));
	notify("STOPPING=1");
	apsp_process_limit_stop(&stops, STOP_MS);
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	APSP_AUTO(apsp_options_done) struct apsp_options options = {0};
	struct apsp_err err;

	apsp_process_prepare();
	if (apsp_options_parse(argc, argv, geteuid() == 0, &options, &err) < 0)
		return complain(&err);
	if (options.help) {
		apsp_options_help(stdout);
		return EXIT_SUCCESS;
	}
	if (options.version) {
		puts("apspd " APSP_VERSION);
		return EXIT_SUCCESS;
	}
	return serve(&options);
}
