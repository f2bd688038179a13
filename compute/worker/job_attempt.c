/*
 * One try at a job; see job_attempt.h.
 */
#include "compute/worker/job_attempt.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "compute/worker/job_dir.h"
#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/base/settings.h"

static bool attempt_stop(void *ctx)
{
	const struct apsp_job_attempt *attempt = ctx;

	apsp_pulse_beat(attempt->pulse);
	return atomic_load(attempt->stop) ||
	       apsp_running_job_is_cancelled(
		       attempt->running, attempt->job->id);
}

/* The same before a piece of the graph file, which may wait for a slow disk. */
static bool load_stop(void *ctx)
{
	const struct apsp_job_attempt *attempt = ctx;
	bool stop = attempt_stop(ctx);

	apsp_pulse_allow(attempt->pulse, APSP_WORKER_STEP_MS);
	return stop;
}

static void attempt_progressed(
	void *ctx, const struct apsp_job_progress *progress)
{
	const struct apsp_job_attempt *attempt = ctx;
	const struct apsp_worker_ops *ops = attempt->ops;

	apsp_running_job_set_progress(attempt->running, progress);
	if (ops->progressed)
		ops->progressed(ops->ctx, attempt->job->id, progress->progress);
}

/* Returns 0 when the tables are written, else report.failure says why not. */
static int job_compute(struct apsp_job_attempt *attempt, const char *dir)
{
	const struct apsp_solver_process_watch watch = {
		attempt, attempt_stop, attempt_progressed};
	const struct apsp_job_stop stop = {attempt, load_stop};
	const struct apsp_worker_ops *ops = attempt->ops;
	struct apsp_job_stages *stages = &attempt->report.progress.stages;
	char path[APSP_JOB_PATH_SIZE + sizeof("/graph")];
	int r;

	if (load_stop(attempt))
		return apsp_fail(&attempt->report.failure.err, APSP_ECANCELLED,
			"ended on request");
	snprintf(path, sizeof(path), "%s/graph", dir);
	r = ops->load(ops->ctx, attempt->job, path, &stop,
		&attempt->report.failure.err);
	apsp_job_stages_end(stages, APSP_STAGE_GRAPH_FILE);
	if (r < 0)
		return r;
	apsp_running_job_set_progress(
		attempt->running, &attempt->report.progress);
	r = apsp_solver_process_compute(attempt->solver, dir,
		attempt->job->room_bytes, &watch, &attempt->report);
	apsp_job_stages_solved(stages, &attempt->report.told);
	return r;
}

static bool is_retried(int code)
{
	return code == APSP_ESOLVER || code == APSP_ESTALLED ||
	       code == APSP_EDEVICE || code == APSP_EDAMAGED;
}

static void job_fail(struct apsp_job_attempt *attempt)
{
	const struct apsp_worker_ops *ops = attempt->ops;
	const struct apsp_job_spec *job = attempt->job;
	struct apsp_job_failure *failure = &attempt->report.failure;
	bool cancelled =
		apsp_running_job_is_cancelled(attempt->running, job->id);
	/* an answer such as a negative cycle stands, whoever asked to stop */
	bool interrupted = is_retried(failure->err.code) ||
			   failure->err.code == APSP_ECANCELLED;

	if (interrupted && !cancelled && atomic_load(attempt->stop)) {
		apsp_log(APSP_LOG_INFO, "job %" PRIu64 " put back graph=%s",
			job->id, job->graph);
		ops->put_back(ops->ctx, job);
		return;
	}
	if (failure->err.code == APSP_EBUSY && !cancelled) {
		/* no descriptors, say: the job is not to blame */
		apsp_log(APSP_LOG_WARNING, "job %" PRIu64 " waits graph=%s: %s",
			job->id, job->graph, failure->err.message);
		attempt->busy = true;
		ops->put_back(ops->ctx, job);
		return;
	}
	if (interrupted && cancelled)
		apsp_fail(
			&failure->err, APSP_ECANCELLED, "cancelled on request");
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
	ops->fail(ops->ctx, job, &attempt->report.progress, failure,
		is_retried(failure->err.code));
}

/* What the plan said, and what the stages took. */
static void job_learn(struct apsp_job_attempt *attempt)
{
	const struct apsp_job_stages *stages = &attempt->report.progress.stages;

	attempt->learnt = attempt->report.paced;
	memcpy(attempt->learnt.took.seconds, stages->seconds,
		sizeof(stages->seconds));
}

static void job_publish(
	struct apsp_job_attempt *attempt, const char *dir, double start_s)
{
	const struct apsp_worker_ops *ops = attempt->ops;
	const struct apsp_job_progress *last = &attempt->report.progress;
	const struct apsp_job_spec *job = attempt->job;
	char path[APSP_JOB_PATH_SIZE + sizeof("/tables")];
	int r;

	snprintf(path, sizeof(path), "%s/tables", dir);
	r = ops->publish(
		ops->ctx, job, last, path, &attempt->report.failure.err);
	if (r == 0)
		job_learn(attempt);
	/* what damaged the tables may be in the solver that stays */
	if (r == APSP_EDAMAGED)
		apsp_solver_process_retire(attempt->solver);
	if (r == 0)
		apsp_log(APSP_LOG_INFO,
			"job %" PRIu64 " succeeded graph=%s profile=%s "
			"algorithm=%s element=%s device=\"%s\" seconds=%.3f "
			"plan=\"%s\"",
			job->id, job->graph, job->profile_name, last->algorithm,
			last->element, last->device, apsp_clock_s() - start_s,
			last->plan);
	else if (r == APSP_ECANCELLED)
		apsp_log(APSP_LOG_INFO,
			"job %" PRIu64 " cancelled graph=%s profile=%s: "
			"its tables are not wanted any more",
			job->id, job->graph, job->profile_name);
	else
		job_fail(attempt);
}

/* Make the job's directory, compute, and end the job in the queue. */
static void attempt_make(struct apsp_job_attempt *attempt)
{
	char dir[APSP_JOB_PATH_SIZE];
	double start_s = apsp_clock_s();
	struct apsp_err err;
	bool computed;

	if (apsp_job_dir_make(attempt->solver->settings->cache_dir,
		    attempt->job->id, dir, &attempt->report.failure.err) < 0) {
		job_fail(attempt);
		return;
	}
	computed = job_compute(attempt, dir) == 0;
	apsp_pulse_allow(attempt->pulse, APSP_WORKER_STEP_MS);
	if (computed)
		job_publish(attempt, dir, start_s);
	else
		job_fail(attempt);
	if (apsp_job_dir_remove(dir, &err) < 0)
		apsp_log(APSP_LOG_WARNING, "%s", err.message);
}

bool apsp_job_attempt_run(struct apsp_job_attempt *attempt)
{
	const struct apsp_job_spec *job = attempt->job;

	apsp_job_report_init(&attempt->report);
	attempt->report.progress.stages = job->stages;
	apsp_log(APSP_LOG_INFO, "job %" PRIu64 " started graph=%s profile=%s",
		job->id, job->graph, job->profile_name);
	attempt_make(attempt);
	apsp_job_report_done(&attempt->report);
	return !attempt->busy;
}
