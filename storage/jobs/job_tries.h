/*
 * The tries at a job: their number, and how each of them ends. A job's row
 * counts its tries, so that one that ends in a crash is counted, too.
 *
 * There is one worker, and it runs one job at a time. So if a job is recorded
 * as running when the worker claims the next one, its end could not be recorded
 * (the disk was full). It is queued again, or failed after APSP_JOB_TRIES.
 */
#ifndef APSP_STORAGE_JOBS_JOB_TRIES_H
#define APSP_STORAGE_JOBS_JOB_TRIES_H

#include <stdbool.h>

#include "daemon/base/err.h"
#include "daemon/base/job.h"

struct apsp_store;
struct apsp_transaction;

enum {
	APSP_JOB_TRIES = 2, /* at most */
};

/*
 * See fail and put_back of struct apsp_worker_ops
 * (compute/worker/worker_ops.h). Both wait for the writer thread.
 */
void apsp_job_tries_fail(struct apsp_store *store,
	const struct apsp_job_spec *job, const struct apsp_job_progress *last,
	const struct apsp_job_failure *failure, bool retry);
void apsp_job_tries_put_back(
	struct apsp_store *store, const struct apsp_job_spec *job);

/*
 * The rest runs inside a transaction on the writer thread and reports APSP_EDB,
 * APSP_ENOSPACE or APSP_ENOMEM.
 */

/* The number of tries at the job, with the one under way; 0: the job is not
   running. */
int apsp_job_tries_count(struct apsp_transaction *tx,
	const struct apsp_job_spec *job, struct apsp_err *err);

/*
 * Record how a try ended, with its last progress. state is the job's new state;
 * failure is NULL if there is none to record.
 */
int apsp_job_tries_end(struct apsp_transaction *tx,
	const struct apsp_job_spec *job, const struct apsp_job_progress *last,
	enum apsp_job_state state, const struct apsp_job_failure *failure,
	struct apsp_err *err);

/*
 * Queue again the jobs that are recorded as running, or fail those that were
 * tried APSP_JOB_TRIES times: their worker is gone, or could not record their
 * end. The caller settles (generations.h).
 */
int apsp_job_tries_revive(struct apsp_transaction *tx, struct apsp_err *err);

#endif
