/*
 * The tries at a job: how each of them begins and ends, and their number. A
 * job's row counts its tries, so that one that ends in a crash is counted, too.
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
 * The calls of the worker (struct apsp_worker_ops,
 * compute/worker/worker_ops.h). All wait for the writer thread.
 */

/*
 * See claim of these ops. A job whose row cannot be read, or whose tables have
 * no room on the disk, fails, so that it does not block the others.
 */
int apsp_job_tries_claim(struct apsp_store *store, struct apsp_job_spec *out,
	struct apsp_err *err);

/* See publish of these ops. Profiles serve the tables in the file at path from
 * now on. */
int apsp_job_tries_publish(struct apsp_store *store,
	const struct apsp_job_spec *job, const struct apsp_job_progress *last,
	const char *path, struct apsp_err *err);

/* See fail and put_back of these ops. */
void apsp_job_tries_fail(struct apsp_store *store,
	const struct apsp_job_spec *job, const struct apsp_job_progress *last,
	const struct apsp_job_failure *failure, bool retry);
void apsp_job_tries_put_back(
	struct apsp_store *store, const struct apsp_job_spec *job);

/*
 * Queue again the jobs that are recorded as running, or fail those that were
 * tried APSP_JOB_TRIES times: their worker is gone, or could not record their
 * end. This runs inside a transaction on the writer thread; the caller settles
 * (generations.h). APSP_EDB, APSP_ENOSPACE, APSP_ENOMEM.
 */
int apsp_job_tries_revive(struct apsp_transaction *tx, struct apsp_err *err);

#endif
