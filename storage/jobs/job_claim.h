/*
 * The command by which the worker claims the oldest queued job.
 */
#ifndef APSP_STORAGE_JOBS_JOB_CLAIM_H
#define APSP_STORAGE_JOBS_JOB_CLAIM_H

#include "daemon/base/err.h"
#include "daemon/base/job.h"

struct apsp_store;

/*
 * See claim of struct apsp_worker_ops (compute/worker/worker.h). A job whose
 * row cannot be read, or whose tables have no room on the disk, fails, so that
 * it does not block the others. Waits for the writer thread.
 */
int apsp_job_claim_next(struct apsp_store *store, struct apsp_job_spec *out,
	struct apsp_err *err);

#endif
