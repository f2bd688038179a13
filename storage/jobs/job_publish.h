/* Publishes the tables of a finished job, so that the profiles that need these
   tables can use them. */
#ifndef APSP_STORAGE_JOBS_JOB_PUBLISH_H
#define APSP_STORAGE_JOBS_JOB_PUBLISH_H

#include "daemon/base/err.h"
#include "daemon/job/job.h"

struct apsp_store;

/*
 * The operation `publish` of the worker (struct apsp_worker_ops,
 * compute/worker/worker_ops.h): move the table file at `path` to its place
 * among the store's table files, and end the job as succeeded. Waits for the
 * writer thread.
 */
int apsp_job_publish(struct apsp_store *store, const struct apsp_job_spec *job,
	const struct apsp_job_progress *last, const char *path,
	struct apsp_err *err);

#endif
