/*
 * One try at a job: claim it from the queue, write its graph file, run the
 * solver, and end the job in the queue. Meanwhile other threads may read the
 * try's progress and cancel it. Only child_process.h ends a process.
 */
#ifndef APSP_COMPUTE_WORKER_JOB_TRY_H
#define APSP_COMPUTE_WORKER_JOB_TRY_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "compute/worker/job_report.h"
#include "compute/worker/solver_process.h"
#include "compute/worker/worker_ops.h"
#include "daemon/base/job.h"
#include "daemon/base/pulse.h"
#include "daemon/base/stop.h"

/* All zeros at first, except the mutex and what the owner sets. One after the
   other, all tries of a worker use the same object. */
struct apsp_job_try {
	/* Set by the owner; borrowed. */
	const struct apsp_worker_ops *ops;
	struct apsp_solver_process *solver;
	struct apsp_pulse *pulse; /* of the worker's thread */
	/* APSP_STOP_CANCEL: the job was cancelled. The parent is the owner's:
	   the worker ends. */
	struct apsp_stop stop;

	pthread_mutex_t mutex; /* of the next three */
	bool claiming;	       /* the queue is being asked for a job */
	struct apsp_job_present present;
	/* The last job that was cancelled while it ran or was being claimed. It
	   may go back to the queue at that moment and be claimed again. */
	uint64_t cancelled;

	/* Of the worker's thread. */
	struct apsp_job_spec job;
	struct apsp_job_report report;
	struct apsp_paced_job learnt; /* n_told is 1: the job succeeded */
};

/*
 * Claim the next job; from here on it is the one that runs. Returns as
 * ops->claim().
 */
int apsp_job_try_claim(struct apsp_job_try *try, struct apsp_err *err);

/*
 * Compute the claimed job and end it in the queue: published, failed or put
 * back. Blocks until then. False: a temporary lack, such as of descriptors, put
 * it back, and the next try should wait.
 */
bool apsp_job_try_run(struct apsp_job_try *try);

/*
 * Cancel job id if it runs, or if it may be the one that is being claimed; else
 * do nothing. Any thread, never blocks.
 */
void apsp_job_try_cancel(struct apsp_job_try *try, uint64_t id);

/* Copy the state of the job that runs; out->id is 0 if none does. Any thread,
   never blocks. */
void apsp_job_try_present(
	struct apsp_job_try *try, struct apsp_job_present *out);

#endif
