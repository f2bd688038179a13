/*
 * The queue as the worker sees it.
 */
#ifndef APSP_COMPUTE_WORKER_WORKER_OPS_H
#define APSP_COMPUTE_WORKER_WORKER_OPS_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/base/job.h"
#include "daemon/base/stop.h"

/*
 * The queue's functions: main fills them in with storage's. Each may block and
 * is called on the worker thread only.
 */
struct apsp_worker_ops {
	void *ctx;

	/*
	 * Claim the oldest queued job, which is running from now on. Returns 1
	 * with *out filled, 0 if no job is queued, or a negative code.
	 */
	int (*claim)(
		void *ctx, struct apsp_job_spec *out, struct apsp_err *err);

	/*
	 * Write the job's graph file (daemon/base/graph_file.h) at path, and
	 * ask stop before each few megabytes of it. APSP_ECANCELLED: stop said
	 * so, or the graph is gone. After an error, part of the file may be
	 * there.
	 */
	int (*load)(void *ctx, const struct apsp_job_spec *job,
		const char *path, const struct apsp_stop *stop,
		struct apsp_err *err);

	/*
	 * Seal and publish the table file, which is moved away from path, and
	 * end the job as succeeded. APSP_ECANCELLED: nobody wants these tables
	 * any more, and the job has ended as cancelled.
	 */
	int (*publish)(void *ctx, const struct apsp_job_spec *job,
		const struct apsp_job_progress *last, const char *path,
		struct apsp_err *err);

	/*
	 * End the job as failed (or cancelled, for APSP_ECANCELLED) or, with
	 * retry set and tries left, queue it again.
	 */
	void (*fail)(void *ctx, const struct apsp_job_spec *job,
		const struct apsp_job_progress *last,
		const struct apsp_job_failure *failure, bool retry);

	/* At shutdown: queue the running job again; the try does not count. */
	void (*put_back)(void *ctx, const struct apsp_job_spec *job);

	/* The job's phase or progress has changed. May be NULL. */
	void (*progressed)(void *ctx, uint64_t job_id, double progress);
};

#endif
