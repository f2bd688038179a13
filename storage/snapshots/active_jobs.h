/*
 * Keeps two lists: the jobs that requests see as queued, and the jobs that they
 * see as running. A commit changes the rows of jobs, and requests find the new
 * snapshots a moment later. In between, the row of a job can say that the job
 * has ended, although requests cannot find its tables yet. So requests see a
 * job as ended only when it is in neither list (storage/snapshots/README.md,
 * Rows are the truth).
 */
#ifndef APSP_STORAGE_SNAPSHOTS_ACTIVE_JOBS_H
#define APSP_STORAGE_SNAPSHOTS_ACTIVE_JOBS_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/job/job.h"

struct apsp_ids {
	uint64_t *ids; /* owned */
	size_t n;
	size_t capacity;
};

/* Append an id. APSP_ENOMEM. */
int apsp_ids_add(struct apsp_ids *ids, uint64_t id, struct apsp_err *err);

struct apsp_active_jobs {
	pthread_mutex_t lock; /* guards the members below */
	struct apsp_ids queued;
	struct apsp_ids running;
	unsigned int n_reserved; /* number of places in the job queue that
				    unfinished uploads have reserved */
};

void apsp_active_jobs_init(struct apsp_active_jobs *jobs);
void apsp_active_jobs_done(struct apsp_active_jobs *jobs);

/*
 * From now on, requests see the jobs in `queued` as queued and the jobs in
 * `running` as running. The lists are swapped: afterwards, `queued` and
 * `running` hold the ids that requests saw before the call. Call this on the
 * writer thread.
 */
void apsp_active_jobs_show(struct apsp_active_jobs *jobs,
	struct apsp_ids *queued, struct apsp_ids *running);

/* Return the state in which requests see a job. The caller must have read
   `state` from the job's row before this call. If `state` says that the job has
   ended, but the job is still in one of the two lists, the result is queued or
   running; otherwise it is `state`. Any thread may call this. */
enum apsp_job_state apsp_active_jobs_state(
	struct apsp_active_jobs *jobs, uint64_t id, enum apsp_job_state state);

#endif
