/*
 * The running job; see running_job.h.
 */
#include "compute/worker/running_job.h"

#include <string.h>

void apsp_running_job_init(struct apsp_running_job *running)
{
	memset(running, 0, sizeof(*running));
	pthread_mutex_init(&running->mutex, NULL);
}

void apsp_running_job_done(struct apsp_running_job *running)
{
	pthread_mutex_destroy(&running->mutex);
}

void apsp_running_job_claim(struct apsp_running_job *running)
{
	pthread_mutex_lock(&running->mutex);
	running->claiming = true;
	pthread_mutex_unlock(&running->mutex);
}

void apsp_running_job_begin(
	struct apsp_running_job *running, const struct apsp_job_spec *job)
{
	struct apsp_job_present present = {.progress.eta_s = -1};

	if (job) {
		present.id = job->id;
		present.tries = job->tries;
		present.progress.stages = job->stages;
	}
	pthread_mutex_lock(&running->mutex);
	running->claiming = false;
	running->present = present;
	pthread_mutex_unlock(&running->mutex);
}

void apsp_running_job_end(struct apsp_running_job *running)
{
	pthread_mutex_lock(&running->mutex);
	running->present.id = 0;
	pthread_mutex_unlock(&running->mutex);
}

bool apsp_running_job_cancel(struct apsp_running_job *running, uint64_t id)
{
	bool wanted;
	size_t at;

	pthread_mutex_lock(&running->mutex);
	wanted = running->claiming || running->present.id == id;
	if (wanted) {
		at = running->n_cancelled++ % APSP_RUNNING_CANCELLED_MAX;
		running->cancelled[at] = id;
	}
	pthread_mutex_unlock(&running->mutex);
	return wanted;
}

bool apsp_running_job_is_cancelled(
	struct apsp_running_job *running, uint64_t id)
{
	bool found = false;
	size_t n;

	pthread_mutex_lock(&running->mutex);
	n = running->n_cancelled < APSP_RUNNING_CANCELLED_MAX
		    ? running->n_cancelled
		    : APSP_RUNNING_CANCELLED_MAX;
	for (size_t i = 0; i < n; i++)
		if (running->cancelled[i] == id)
			found = true;
	pthread_mutex_unlock(&running->mutex);
	return found;
}

void apsp_running_job_set_progress(struct apsp_running_job *running,
	const struct apsp_job_progress *progress)
{
	pthread_mutex_lock(&running->mutex);
	running->present.progress = *progress;
	pthread_mutex_unlock(&running->mutex);
}

void apsp_running_job_present(
	struct apsp_running_job *running, struct apsp_job_present *out)
{
	pthread_mutex_lock(&running->mutex);
	*out = running->present;
	pthread_mutex_unlock(&running->mutex);
}
