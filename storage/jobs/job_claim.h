/*
 * Chooses the job that the worker runs next: the oldest queued job whose tables
 * fit on the disk.
 *
 * There is one worker, and it runs one job at a time. When the worker claims
 * its next job, the database may record another job as running. That job has
 * ended, but its end could not be recorded (for example, because the disk was
 * full). It is queued again, or fails if it was tried APSP_JOB_TRIES times
 * (job_tries.h).
 */
#ifndef APSP_STORAGE_JOBS_JOB_CLAIM_H
#define APSP_STORAGE_JOBS_JOB_CLAIM_H

#include "daemon/base/err.h"
#include "daemon/job/job.h"

struct apsp_store;

/*
 * The operation `claim` of the worker (struct apsp_worker_ops,
 * compute/worker/worker_ops.h): record the next job as running, and count the
 * try. The oldest queued job fails if its row cannot be read, or if its tables
 * do not fit on the disk. Then the next job is claimed. Waits for the writer
 * thread. Returns 1; or 0 if no job is queued. APSP_EDB, APSP_ESTATEFULL,
 * APSP_EIO, APSP_ENOMEM.
 */
int apsp_job_claim(struct apsp_store *store, struct apsp_job_spec *out,
	struct apsp_err *err);

#endif
