/*
 * The jobs that are queued or running, as requests see them. A commit changes
 * the rows of jobs at once, and its snapshots are shown a moment later. In this
 * moment, a client that read the end of a job from its row would ask for tables
 * that do not answer yet. So requests treat a job as ended only when it is no
 * longer listed here (storage/snapshots/README.md, Rows are the truth).
 */
#ifndef APSP_STORAGE_SNAPSHOTS_ACTIVE_JOBS_H
#define APSP_STORAGE_SNAPSHOTS_ACTIVE_JOBS_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/base/job.h"

struct apsp_ids {
	uint64_t *ids; /* owned */
	size_t n;
	size_t capacity;
};

/* APSP_ENOMEM. */
int apsp_ids_add(struct apsp_ids *ids, uint64_t id, struct apsp_err *err);

struct apsp_active_jobs {
	pthread_mutex_t lock; /* guards the members below */
	struct apsp_ids queued;
	struct apsp_ids running;
	unsigned int n_reserved; /* number of places in the queue that
				    unfinished uploads have reserved */
};

void apsp_active_jobs_init(struct apsp_active_jobs *jobs);
void apsp_active_jobs_done(struct apsp_active_jobs *jobs);

/*
 * Show these jobs as queued and running from now on. The lists are swapped: the
 * caller gets the previous ones. On the writer thread.
 */
void apsp_active_jobs_show(struct apsp_active_jobs *jobs,
	struct apsp_ids *queued, struct apsp_ids *running);

/*
 * The state to show for a job whose row had `state`. The caller has read the
 * row before this call. Any thread.
 */
enum apsp_job_state apsp_active_jobs_state(
	struct apsp_active_jobs *jobs, uint64_t id, enum apsp_job_state state);

#endif
