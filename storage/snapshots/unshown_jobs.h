/*
 * The jobs that a commit under way changes. Readers of rows see them changed
 * before the snapshots are shown that say the same: who was told that a job has
 * succeeded asked its tables too early, and got those before it, or none.
 */
#ifndef APSP_STORAGE_SNAPSHOTS_UNSHOWN_JOBS_H
#define APSP_STORAGE_SNAPSHOTS_UNSHOWN_JOBS_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

struct apsp_unshown_jobs {
	pthread_mutex_t lock;
	pthread_cond_t shown;
	const uint64_t *ids; /* borrowed from the transaction */
	size_t n;
};

void apsp_unshown_jobs_init(struct apsp_unshown_jobs *jobs);
void apsp_unshown_jobs_done(struct apsp_unshown_jobs *jobs);

/* Before the commit, and once its snapshots are shown. The writer only. */
void apsp_unshown_jobs_begin(
	struct apsp_unshown_jobs *jobs, const uint64_t *ids, size_t n);
void apsp_unshown_jobs_end(struct apsp_unshown_jobs *jobs);

/*
 * Wait until what the rows say of the job's end is shown. Where they have just
 * said it, the log has it, and the writer folds a long log only once all is
 * shown: nobody waits for the disk here.
 */
void apsp_unshown_jobs_await(struct apsp_unshown_jobs *jobs, uint64_t id);

/* The least id above after that is not shown yet; 0: none. */
uint64_t apsp_unshown_jobs_next(struct apsp_unshown_jobs *jobs, uint64_t after);

#endif
