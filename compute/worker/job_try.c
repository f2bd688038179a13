/*
 * One try at a job; see job_try.h.
 */
#include "compute/worker/job_try.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "compute/worker/job_dir.h"
#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/base/settings.h"

enum {
	/* the longest time, in ms, that a step outside the solver may take; a
	   step can write gigabytes to a slow disk */
	STEP_MS = 1800000,
};

int apsp_job_try_claim(struct apsp_job_try *try, struct apsp_err *err)
{
	struct apsp_job_present present = {.progress.eta_s = -1};
	int r;

	pthread_mutex_lock(&try->mutex);
	try->claiming = true;
	pthread_mutex_unlock(&try->mutex);
	apsp_pulse_allow(try->pulse, STEP_MS);
	r = try->ops->claim(try->ops->store, &try->job, err);
	if (r > 0) {
		present.id = try->job.id;
		present.tries = try->job.tries;
		present.progress.stages = try->job.stages;
	}
	pthread_mutex_lock(&try->mutex);
	try->claiming = false;
	try->present = present;
	apsp_stop_reset(&try->stop);
	if (r > 0 && try->cancelled == present.id)
		apsp_stop_ask(&try->stop, APSP_STOP_CANCEL);
	pthread_mutex_unlock(&try->mutex);
	return r;
}

void apsp_job_try_cancel(struct apsp_job_try *try, uint64_t id)
{
	pthread_mutex_lock(&try->mutex);
	/* jobs run in the order of their ids, so it suffices to keep the
	   highest cancelled id */
	if ((try->claiming || try->present.id == id) && id > try->cancelled)
		try->cancelled = id;
	if (try->present.id == id)
		apsp_stop_ask(&try->stop, APSP_STOP_CANCEL);
	pthread_mutex_unlock(&try->mutex);
}

void apsp_job_try_present(
	struct apsp_job_try *try, struct apsp_job_present *out)
{
	pthread_mutex_lock(&try->mutex);
	*out = try->present;
	pthread_mutex_unlock(&try->mutex);
}

static void progress_show(
	struct apsp_job_try *try, const struct apsp_job_progress *progress)
{
	pthread_mutex_lock(&try->mutex);
	try->present.progress = *progress;
	pthread_mutex_unlock(&try->mutex);
}

static void try_progressed(void *ctx, const struct apsp_job_progress *progress)
{
	struct apsp_job_try *try = ctx;
	const struct apsp_worker_ops *ops = try->ops;

	progress_show(try, progress);
	if (ops->progressed)
		ops->progressed(ops->ctx, try->job.id, progress->progress);
}

/* Write the graph file and run the solver. Returns 0 when the tables are
   written; otherwise report.failure has the reason. */
static int job_compute(struct apsp_job_try *try, const char *dir)
{
	const struct apsp_solver_watch watch = {
		try, &try->stop, try_progressed};
	const struct apsp_worker_ops *ops = try->ops;
	struct apsp_job_report *report = &try->report;
	struct apsp_job_stages *stages = &report->progress.stages;
	char path[APSP_JOB_PATH_SIZE + sizeof("/graph")];
	int r = apsp_stop_check(&try->stop, &report->failure.err);

	if (r < 0)
		return r;
	apsp_pulse_allow(try->pulse, STEP_MS);
	snprintf(path, sizeof(path), "%s/graph", dir);
	r = ops->load(
		ops->store, &try->job, path, &try->stop, &report->failure.err);
	apsp_job_stages_end(stages, APSP_STAGE_GRAPH_FILE);
	if (r < 0)
		return r;
	progress_show(try, &report->progress);
	r = apsp_solver_process_compute(
		try->solver, dir, try->job.room_bytes, &watch, report);
	apsp_job_stages_solved(stages, &report->stages);
	return r;
}

static bool is_retried(int code)
{
	return code == APSP_ESOLVER || code == APSP_ESTALLED ||
	       code == APSP_EDEVICE || code == APSP_EDAMAGED;
}

/* Whether the job failed because somebody has emptied the cache directory: a
   file could not be read or written, and the graph file is gone. */
static bool is_emptied(const char *dir, const struct apsp_err *err)
{
	char path[APSP_JOB_PATH_SIZE + sizeof("/graph")];

	snprintf(path, sizeof(path), "%s/graph", dir);
	return err->code == APSP_EIO && access(path, F_OK) < 0 &&
	       errno == ENOENT;
}

/* End the job as failed or cancelled, or put it back in the queue. `dir` is the
   job's directory. False: the job was put back because there are no free
   descriptors or processes at present. */
static bool job_fail(struct apsp_job_try *try, const char *dir)
{
	enum apsp_stop_reason reason = apsp_stop_reason(&try->stop);
	const struct apsp_worker_ops *ops = try->ops;
	const struct apsp_job_spec *job = &try->job;
	struct apsp_job_failure *failure = &try->report.failure;
	/* True: a stop may have caused the error. Other errors, such as a
	   negative cycle, are results of the job, and are reported even if a
	   stop was requested. */
	bool interrupted = is_retried(failure->err.code) ||
			   failure->err.code == APSP_ECANCELLED;

	if (interrupted && reason == APSP_STOP_END) {
		apsp_log(APSP_LOG_INFO, "job %" PRIu64 " put back graph=%s",
			job->id, job->graph);
		ops->put_back(ops->store, job);
		return true;
	}
	if (failure->err.code == APSP_EBUSY && reason != APSP_STOP_CANCEL) {
		/* the job waits in the queue, because the failure is temporary
		   and was not caused by the job: for example, there is no free
		   descriptor */
		apsp_log(APSP_LOG_WARNING, "job %" PRIu64 " waits graph=%s: %s",
			job->id, job->graph, failure->err.message);
		ops->put_back(ops->store, job);
		return false;
	}
	if (interrupted)
		apsp_stop_check(&try->stop, &failure->err);
	if (failure->err.code == APSP_ECANCELLED)
		apsp_log(APSP_LOG_INFO,
			"job %" PRIu64 " cancelled graph=%s profile=%s",
			job->id, job->graph, job->profile_name);
	else
		apsp_log(APSP_LOG_WARNING,
			"job %" PRIu64 " failed graph=%s profile=%s code=%s: "
			"%s",
			job->id, job->graph, job->profile_name,
			apsp_code_name(failure->err.code),
			failure->err.message);
	ops->fail(ops->store, job, &try->report.progress, failure,
		is_retried(failure->err.code) ||
			is_emptied(dir, &failure->err));
	return true;
}

/* Publish the tables. If they cannot be published, call job_fail() and return
   its result; otherwise return true. */
static bool job_publish(
	struct apsp_job_try *try, const char *dir, double start_s)
{
	const struct apsp_job_progress *last = &try->report.progress;
	const struct apsp_worker_ops *ops = try->ops;
	const struct apsp_job_spec *job = &try->job;
	char path[APSP_JOB_PATH_SIZE + sizeof("/tables")];
	int r;

	snprintf(path, sizeof(path), "%s/tables", dir);
	r = ops->publish(ops->store, job, last, path, &try->report.failure.err);
	/* the resident solver (a process that stays for the next job) may have
	   damaged the tables, so it must not compute the next job */
	if (r == APSP_EDAMAGED)
		apsp_solver_process_retire(try->solver);
	if (r == APSP_ECANCELLED)
		apsp_log(APSP_LOG_INFO,
			"job %" PRIu64 " cancelled graph=%s profile=%s: "
			"its tables are not wanted any more",
			job->id, job->graph, job->profile_name);
	else if (r < 0)
		return job_fail(try, dir);
	else
		apsp_log(APSP_LOG_INFO,
			"job %" PRIu64 " succeeded graph=%s profile=%s "
			"algorithm=%s element=%s device=\"%s\" seconds=%.3f "
			"plan=\"%s\"",
			job->id, job->graph, job->profile_name, last->algorithm,
			last->element, last->device, apsp_clock_s() - start_s,
			last->plan);
	if (r == 0) {
		try->learnt = try->report.paced;
		memcpy(try->learnt.took.seconds, last->stages.seconds,
			sizeof(last->stages.seconds));
	}
	return true;
}

/* Make the job's directory, compute the tables, and report to the queue how the
   job ended. False: the job was put back in the queue, because descriptors or
   processes are lacking at present. */
static bool try_make(struct apsp_job_try *try)
{
	char dir[APSP_JOB_PATH_SIZE];
	double start_s = apsp_clock_s();
	struct apsp_err err;
	bool ended;
	int r;

	if (apsp_job_dir_make(try->solver->settings->cache_dir, try->job.id,
		    dir, &try->report.failure.err) < 0)
		return job_fail(try, dir);
	r = job_compute(try, dir);
	apsp_pulse_allow(try->pulse, STEP_MS);
	ended = r == 0 ? job_publish(try, dir, start_s) : job_fail(try, dir);
	if (apsp_job_dir_remove(dir, &err) < 0)
		apsp_log(APSP_LOG_WARNING, "%s", err.message);
	return ended;
}

bool apsp_job_try_run(struct apsp_job_try *try)
{
	const struct apsp_job_spec *job = &try->job;
	bool ended;

	try->learnt = (struct apsp_paced_job){0};
	apsp_job_report_init(&try->report);
	try->report.progress.stages = job->stages;
	apsp_log(APSP_LOG_INFO, "job %" PRIu64 " started graph=%s profile=%s",
		job->id, job->graph, job->profile_name);
	ended = try_make(try);
	apsp_job_report_done(&try->report);
	pthread_mutex_lock(&try->mutex);
	try->present.id = 0;
	pthread_mutex_unlock(&try->mutex);
	return ended;
}
