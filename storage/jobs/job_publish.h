/*
 * Publishes a job's table file, so that profiles serve its tables.
 */
#ifndef APSP_STORAGE_JOBS_JOB_PUBLISH_H
#define APSP_STORAGE_JOBS_JOB_PUBLISH_H

#include "daemon/base/err.h"
#include "daemon/base/job.h"

struct apsp_store;

/*
 * See publish of struct apsp_worker_ops (compute/worker/worker.h). Waits for
 * the writer thread.
 */
int apsp_job_publish_tables(struct apsp_store *store,
	const struct apsp_job_spec *job, const struct apsp_job_progress *last,
	const char *path, struct apsp_err *err);

#endif
