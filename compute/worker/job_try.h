/*
 * One try at a job: claim the job from the queue, write the job's graph file,
 * run the solver, and report to the queue how the job ended. Meanwhile other
 * threads may read the progress of the try, and may cancel the job.
 */
#ifndef APSP_COMPUTE_WORKER_JOB_TRY_H
#define APSP_COMPUTE_WORKER_JOB_TRY_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "compute/worker/job_report.h"
#include "compute/worker/solver_process.h"
#include "compute/worker/worker_ops.h"
#include "daemon/job/job.h"
#include "daemon/base/pulse.h"
#include "daemon/base/stop.h"

/* A worker has one such object for all its tries. There is only one try at a
   time. At first all members are zeros, except the mutex and the members that
   the owner sets. */
struct apsp_job_try {
	/* The owner sets ops, solver and pulse. These pointers are borrowed. */
	const struct apsp_worker_ops *ops;
	struct apsp_solver_process *solver;
	struct apsp_pulse *pulse; /* records signs of life of the worker's
				     thread */
	/* The stop token of the present try. Cancelling the job stops the try
	   with the reason APSP_STOP_CANCEL. The owner sets the token's parent,
	   which is the worker's token. */
	struct apsp_stop stop;

	/* protects claiming, present and cancelled */
	pthread_mutex_t mutex;
	bool claiming; /* ops->claim() is running */
	struct apsp_job_present present;
	/*
	 * The highest id of the jobs that were cancelled while they ran or were
	 * being claimed. This id is kept after the try. A job can be cancelled
	 * at the moment at which it goes back to the queue; if the job is then
	 * claimed again, the new try must be cancelled, too.
	 */
	uint64_t cancelled;

	/* Only the worker's thread uses job, report and learnt. */
	struct apsp_job_spec job;
	struct apsp_job_report report;
	/* Planned and measured seconds of the last job. learnt.n_told is 0 if
	   that job did not succeed. */
	struct apsp_paced_job learnt;
};

/*
 * Claim the next job, which counts as running from now on. Returns the result
 * of ops->claim().
 */
int apsp_job_try_claim(struct apsp_job_try *try, struct apsp_err *err);

/*
 * Compute the claimed job. Then publish its tables, end the job as failed or
 * cancelled, or put it back in the queue. Blocks until the job has ended or is
 * back in the queue. False: the job was put back because there are no free
 * descriptors or processes at present. The caller should wait before the next
 * try.
 */
bool apsp_job_try_run(struct apsp_job_try *try);

/*
 * Cancel the job `id` if it runs, or if it may be the job that is being
 * claimed; otherwise do nothing. Any thread may call this. Never blocks.
 */
void apsp_job_try_cancel(struct apsp_job_try *try, uint64_t id);

/* Copy the state of the running job; out->id is 0 if none runs. Any thread may
   call this. Never blocks. */
void apsp_job_try_present(
	struct apsp_job_try *try, struct apsp_job_present *out);

#endif
