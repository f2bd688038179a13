/*
 * The tries at a job: how each try ends, and the number of tries. A try begins
 * when the job is claimed (job_claim.h). A job's row counts its tries, so that
 * a try that ends in a crash is counted, too.
 */
#ifndef APSP_STORAGE_JOBS_JOB_TRIES_H
#define APSP_STORAGE_JOBS_JOB_TRIES_H

#include <stdbool.h>

#include "daemon/base/err.h"
#include "daemon/job/job.h"

struct apsp_store;
struct apsp_transaction;

enum {
	APSP_JOB_TRIES = 2, /* a job is tried at most this number of times */
};

/*
 * The operations `fail` and `put_back` of the worker (struct apsp_worker_ops,
 * compute/worker/worker_ops.h). `fail` ends the running try. If `retry` is true
 * and tries are left, the job is queued again. Otherwise the job has failed; if
 * the error is APSP_ECANCELLED, the job is cancelled instead. `put_back` queues
 * the job again, and does not count the try. If a client has asked to cancel
 * the job (apsp_jobs_cancel()), the job is cancelled instead of being queued
 * again. Both operations wait for the writer thread.
 */
void apsp_job_tries_fail(struct apsp_store *store,
	const struct apsp_job_spec *job, const struct apsp_job_progress *last,
	const struct apsp_job_failure *failure, bool retry);
void apsp_job_tries_put_back(
	struct apsp_store *store, const struct apsp_job_spec *job);

/*
 * Inside a transaction on the writer thread: return the number of tries at the
 * job, including the running try; 0: the job is not running. APSP_EDB.
 */
int apsp_job_tries_count(struct apsp_transaction *tx,
	const struct apsp_job_spec *job, struct apsp_err *err);

/*
 * Inside a transaction on the writer thread: record how a try ended, with its
 * last progress. `state` is the job's new state. `failure` has the error if the
 * job failed or was cancelled, and is NULL otherwise. APSP_EDB,
 * APSP_ESTATEFULL, APSP_ENOMEM.
 */
int apsp_job_tries_end(struct apsp_transaction *tx,
	const struct apsp_job_spec *job, const struct apsp_job_progress *last,
	enum apsp_job_state state, const struct apsp_job_failure *failure,
	struct apsp_err *err);

/*
 * Inside a transaction on the writer thread: put all jobs that are recorded as
 * running back into the queue. None of these jobs runs: the worker has ended,
 * or could not record the end of the job. If a client has asked to cancel a
 * job, the job is cancelled instead. A job that was tried APSP_JOB_TRIES times
 * fails. The caller ends the transaction by apsp_generations_commit().
 * APSP_EDB, APSP_ESTATEFULL, APSP_ENOMEM.
 */
int apsp_job_tries_revive(struct apsp_transaction *tx, struct apsp_err *err);

/*
 * Inside a transaction on the writer thread, at the start: give another job to
 * each profile of a current upload that has no tables because its job found too
 * little space or no usable device. By now, there may be more space or another
 * device. The caller ends the transaction by apsp_generations_commit(), which
 * queues the jobs. APSP_EDB, APSP_ESTATEFULL, APSP_ENOMEM.
 */
int apsp_job_tries_renew(struct apsp_transaction *tx, struct apsp_err *err);

#endif
