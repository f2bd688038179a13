/*
 * The ids of active jobs, guarded by one mutex; see active_jobs.h.
 */
#include "storage/snapshots/active_jobs.h"

#include <stdbool.h>
#include <stdlib.h>

#include "daemon/base/array.h"

int apsp_ids_add(struct apsp_ids *ids, uint64_t id, struct apsp_err *err)
{
	int r = apsp_array_reserve(&ids->ids, ids->n + 1, &ids->capacity,
		&(struct apsp_array_growth){
			sizeof(*ids->ids), 8, "a transaction", NULL},
		err);

	if (r < 0)
		return r;
	ids->ids[ids->n++] = id;
	return 0;
}

static bool ids_hold(const struct apsp_ids *ids, uint64_t id)
{
	for (size_t i = 0; i < ids->n; i++)
		if (ids->ids[i] == id)
			return true;
	return false;
}

static void ids_swap(struct apsp_ids *a, struct apsp_ids *b)
{
	struct apsp_ids kept = *a;

	*a = *b;
	*b = kept;
}

void apsp_active_jobs_init(struct apsp_active_jobs *jobs)
{
	*jobs = (struct apsp_active_jobs){.n_reserved = 0};
	pthread_mutex_init(&jobs->lock, NULL);
}

void apsp_active_jobs_done(struct apsp_active_jobs *jobs)
{
	free(jobs->queued.ids);
	free(jobs->running.ids);
	pthread_mutex_destroy(&jobs->lock);
}

void apsp_active_jobs_show(struct apsp_active_jobs *jobs,
	struct apsp_ids *queued, struct apsp_ids *running)
{
	pthread_mutex_lock(&jobs->lock);
	ids_swap(&jobs->queued, queued);
	ids_swap(&jobs->running, running);
	pthread_mutex_unlock(&jobs->lock);
}

enum apsp_job_state apsp_active_jobs_state(
	struct apsp_active_jobs *jobs, uint64_t id, enum apsp_job_state state)
{
	if (apsp_job_state_active(state))
		return state;
	pthread_mutex_lock(&jobs->lock);
	if (ids_hold(&jobs->running, id))
		state = APSP_JOB_RUNNING;
	else if (ids_hold(&jobs->queued, id))
		state = APSP_JOB_QUEUED;
	pthread_mutex_unlock(&jobs->lock);
	return state;
}
