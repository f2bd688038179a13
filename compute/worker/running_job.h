/*
 * The job that the worker runs, as all threads may see it: its id, its
 * progress, and whether it was cancelled. Every function but init and done may
 * be called on any thread, and none blocks.
 */
#ifndef APSP_COMPUTE_WORKER_RUNNING_JOB_H
#define APSP_COMPUTE_WORKER_RUNNING_JOB_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/job.h"

enum {
	APSP_RUNNING_CANCELLED_MAX = 64,
};

struct apsp_running_job {
	pthread_mutex_t mutex; /* of everything below */
	bool claiming;	       /* the queue is being asked for a job */
	struct apsp_job_present present;
	/*
	 * The last jobs that were cancelled while they ran or were being
	 * claimed. The list is kept, because a job may go back to the queue at
	 * that moment and be claimed again.
	 */
	uint64_t cancelled[APSP_RUNNING_CANCELLED_MAX];
	size_t n_cancelled; /* so far; cancelled is a ring */
};

void apsp_running_job_init(struct apsp_running_job *running);
void apsp_running_job_done(struct apsp_running_job *running);

/* The queue is asked for a job; it gave this one (NULL: none); the job has
   ended. */
void apsp_running_job_claim(struct apsp_running_job *running);
void apsp_running_job_begin(
	struct apsp_running_job *running, const struct apsp_job_spec *job);
void apsp_running_job_end(struct apsp_running_job *running);

/*
 * Note that job id is cancelled. False: it does not run, nor can it be the one
 * that is being claimed.
 */
bool apsp_running_job_cancel(struct apsp_running_job *running, uint64_t id);
bool apsp_running_job_is_cancelled(
	struct apsp_running_job *running, uint64_t id);

void apsp_running_job_set_progress(struct apsp_running_job *running,
	const struct apsp_job_progress *progress);

/* Copy what is known of the job that runs; out->id is 0 where none does. */
void apsp_running_job_present(
	struct apsp_running_job *running, struct apsp_job_present *out);

#endif
