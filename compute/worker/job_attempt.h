/*
 * One try at a job that is claimed: its directory, its graph, the solver's run,
 * and the job's end in the queue.
 */
#ifndef APSP_COMPUTE_WORKER_JOB_ATTEMPT_H
#define APSP_COMPUTE_WORKER_JOB_ATTEMPT_H

#include <stdatomic.h>
#include <stdbool.h>

#include "compute/worker/job_report.h"
#include "compute/worker/running_job.h"
#include "compute/worker/solver_process.h"
#include "compute/worker/worker_ops.h"
#include "daemon/base/job.h"
#include "daemon/base/pulse.h"

enum {
	/* for a step outside the solver: gigabytes reach a slow disk */
	APSP_WORKER_STEP_MS = 1800000,
};

/* All but the last three members are the caller's. */
struct apsp_job_attempt {
	const struct apsp_job_spec *job;
	const struct apsp_worker_ops *ops;
	struct apsp_solver_process *solver;
	struct apsp_pulse *pulse;	  /* of this thread */
	struct apsp_running_job *running; /* knows who cancelled the job */
	const atomic_bool *stop;	  /* the worker ends */
	struct apsp_job_report report;
	bool busy;		      /* a limit was met that passes */
	struct apsp_paced_job learnt; /* of a job that succeeded */
};

/*
 * Compute the job and end it in the queue: published, failed or put back.
 * Blocks until then. False: it was put back because of a limit that passes, and
 * the next try should wait.
 */
bool apsp_job_attempt_run(struct apsp_job_attempt *attempt);

#endif
