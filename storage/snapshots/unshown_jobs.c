/*
 * Job ids behind one mutex; see unshown_jobs.h.
 */
#include "storage/snapshots/unshown_jobs.h"

#include <stdbool.h>

void apsp_unshown_jobs_init(struct apsp_unshown_jobs *jobs)
{
	*jobs = (struct apsp_unshown_jobs){.n = 0};
	pthread_mutex_init(&jobs->lock, NULL);
	pthread_cond_init(&jobs->shown, NULL);
}

void apsp_unshown_jobs_done(struct apsp_unshown_jobs *jobs)
{
	pthread_cond_destroy(&jobs->shown);
	pthread_mutex_destroy(&jobs->lock);
}

static void set(struct apsp_unshown_jobs *jobs, const uint64_t *ids, size_t n)
{
	pthread_mutex_lock(&jobs->lock);
	jobs->ids = ids;
	jobs->n = n;
	pthread_cond_broadcast(&jobs->shown);
	pthread_mutex_unlock(&jobs->lock);
}

void apsp_unshown_jobs_begin(
	struct apsp_unshown_jobs *jobs, const uint64_t *ids, size_t n)
{
	set(jobs, ids, n);
}

void apsp_unshown_jobs_end(struct apsp_unshown_jobs *jobs)
{
	set(jobs, NULL, 0);
}

/* With the lock held. */
static bool is_unshown(const struct apsp_unshown_jobs *jobs, uint64_t id)
{
	for (size_t i = 0; i < jobs->n; i++)
		if (jobs->ids[i] == id)
			return true;
	return false;
}

uint64_t apsp_unshown_jobs_next(struct apsp_unshown_jobs *jobs, uint64_t after)
{
	uint64_t next = 0;

	pthread_mutex_lock(&jobs->lock);
	for (size_t i = 0; i < jobs->n; i++)
		if (jobs->ids[i] > after && (!next || jobs->ids[i] < next))
			next = jobs->ids[i];
	pthread_mutex_unlock(&jobs->lock);
	return next;
}

void apsp_unshown_jobs_await(struct apsp_unshown_jobs *jobs, uint64_t id)
{
	pthread_mutex_lock(&jobs->lock);
	while (is_unshown(jobs, id))
		pthread_cond_wait(&jobs->shown, &jobs->lock);
	pthread_mutex_unlock(&jobs->lock);
}
