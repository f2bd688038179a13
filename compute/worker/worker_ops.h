/* The functions by which the worker uses the queue of jobs. */
#ifndef APSP_COMPUTE_WORKER_WORKER_OPS_H
#define APSP_COMPUTE_WORKER_WORKER_OPS_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/job/job.h"
#include "daemon/base/stop.h"

struct apsp_store;

/* daemon/links.c sets these functions, which belong to storage. Each function
   may block, and is called on the worker's thread only. The worker knows
   nothing about `store`, and only passes it on. */
struct apsp_worker_ops {
	struct apsp_store *store;

	/* Claim the oldest queued job: its state becomes running. Returns 1
	   after filling *out, 0 if no job is queued, or a negative code. */
	int (*claim)(struct apsp_store *store, struct apsp_job_spec *out,
		struct apsp_err *err);

	/*
	 * Write the job's graph file (daemon/job/graph_file.h) at path, and
	 * check `stop` every few megabytes. APSP_ECANCELLED: a stop was asked
	 * for, or the graph was deleted. After an error, a part of the file may
	 * exist.
	 */
	int (*load)(struct apsp_store *store, const struct apsp_job_spec *job,
		const char *path, const struct apsp_stop *stop,
		struct apsp_err *err);

	/*
	 * Seal the table file at `path` (complete its header), move it to its
	 * final place, publish it, and end the job as succeeded.
	 * APSP_ECANCELLED: no profile needs these tables, so the job has ended
	 * as cancelled.
	 */
	int (*publish)(struct apsp_store *store,
		const struct apsp_job_spec *job,
		const struct apsp_job_progress *last, const char *path,
		struct apsp_err *err);

	/* If the error is APSP_ECANCELLED, end the job as cancelled. After any
	   other error, queue the job again if `retry` is true and the job has
	   tries left; otherwise end it as failed. */
	void (*fail)(struct apsp_store *store, const struct apsp_job_spec *job,
		const struct apsp_job_progress *last,
		const struct apsp_job_failure *failure, bool retry);

	/* Queue the running job again. The present try does not count as a try.
	 */
	void (*put_back)(
		struct apsp_store *store, const struct apsp_job_spec *job);

	/* Called with the member `ctx` of this struct when the job's phase or
	   progress has changed. May be NULL. */
	void (*progressed)(void *ctx, uint64_t job_id, double progress);
	void *ctx;
};

#endif
