/*
 * The worker's side of the queue: main puts these calls, and that of
 * job_graph.h, into struct apsp_worker_ops. compute/worker/worker.h says what
 * each means. Each waits for the writer thread.
 *
 * There is one worker, and it runs one job at a time. So a job that is recorded
 * as running when the worker claims the next one is a job whose end could not
 * be recorded (the disk was full). It is queued again, or failed after
 * APSP_JOB_TRIES.
 */
#ifndef APSP_STORAGE_WORKER_JOBS_H
#define APSP_STORAGE_WORKER_JOBS_H

#include <stdbool.h>

#include "daemon/base/err.h"
#include "daemon/base/job.h"

struct apsp_store;

int apsp_worker_jobs_claim(struct apsp_store *store, struct apsp_job_spec *out,
	struct apsp_err *err);
int apsp_worker_jobs_publish(struct apsp_store *store,
	const struct apsp_job_spec *job, const struct apsp_job_progress *last,
	const char *path, struct apsp_err *err);
void apsp_worker_jobs_fail(struct apsp_store *store,
	const struct apsp_job_spec *job, const struct apsp_job_progress *last,
	const struct apsp_job_failure *failure, bool retry);
void apsp_worker_jobs_put_back(
	struct apsp_store *store, const struct apsp_job_spec *job);

#endif
