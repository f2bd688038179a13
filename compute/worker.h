/*
 * The worker thread: takes jobs from a queue that others own, runs each in a
 * child process `apsp-solve JOBDIR` and hands the result over (design.md,
 * decision 1). It never touches OpenCL, SQL or HTTP itself.
 *
 * One job at a time. The job's directory is <cache_dir>/jobs/<id>; what an
 * earlier daemon left under <cache_dir>/jobs is removed at start.
 *
 * A child that dies, loses its device or leaves a table file that is not whole
 * is tried once more if the queue allows it (retry below); everything else the
 * child reports is final.
 */
#ifndef APSP_COMPUTE_WORKER_H
#define APSP_COMPUTE_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compute/device_info.h"
#include "compute/plan.h"
#include "compute/rates.h"
#include "daemon/base/err.h"
#include "daemon/base/job.h"

struct apsp_worker;

/*
 * The queue's side, filled by main with storage's calls; every function may
 * block and is called on the worker thread only.
 */
struct apsp_worker_ops {
	void *ctx;

	/*
	 * Claim the oldest queued job: it is running from now on. Returns 1
	 * with *out filled, 0 if there is none, or a negative code.
	 */
	int (*claim)(
		void *ctx, struct apsp_job_spec *out, struct apsp_err *err);

	/* Write the job's graph file (daemon/base/graph_file.h) at path. */
	int (*load)(void *ctx, const struct apsp_job_spec *job,
		const char *path, struct apsp_err *err);

	/*
	 * Seal and publish the table file at path, which is moved away, and end
	 * the job as succeeded. APSP_ECANCELLED: nobody wants it any more; the
	 * job has ended as cancelled.
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

	/* Queue the running job again; the try does not count (shutdown). */
	void (*put_back)(void *ctx, const struct apsp_job_spec *job);

	/* Phase or progress has moved; for those who wait. May be NULL. */
	void (*progressed)(void *ctx, uint64_t job_id);
};

struct apsp_worker_config {
	const char *solver;	/* path of apsp-solve */
	const char *cache_dir;	/* absolute; jobs/ and kernels/ go below it */
	const char *device;	/* --device: auto, cpu, gpu or a substring */
	uint64_t device_memory; /* cap in bytes; 0: none */
	struct apsp_worker_ops ops;
};

/*
 * Start the thread. The strings of config are copied. It first asks
 * `apsp-solve --devices` for what there is, then takes jobs; when it has had
 * none for 3 s it measures the device (`apsp-solve --calibrate`), once. A job
 * that comes ends a measurement, which begins again from nothing: each time
 * after twice as long without a job, up to an hour, so that frequent jobs are
 * not slowed down for ever by what never ends.
 */
int apsp_worker_start(const struct apsp_worker_config *config,
	struct apsp_worker **out, struct apsp_err *err);

/*
 * Begin what apsp_worker_stop() does, so that the child ends while the caller
 * stops other things. Any thread, never blocks.
 */
void apsp_worker_ask_stop(struct apsp_worker *worker);

/*
 * End the running child (TERM to its process group, KILL after 2 s), put its
 * job back, join the thread and free the worker. Blocks for 3 s at most.
 */
void apsp_worker_stop(struct apsp_worker *worker);

/* There may be a job to claim. Any thread, never blocks. */
void apsp_worker_wake(struct apsp_worker *worker);

/* End job id as cancelled if it is the one that runs; else do nothing. */
void apsp_worker_cancel(struct apsp_worker *worker, uint64_t id);

/*
 * Copy the progress of job id. False if it is not the one that runs. Any
 * thread, never blocks.
 */
bool apsp_worker_progress(
	struct apsp_worker *worker, uint64_t id, struct apsp_job_progress *out);

/*
 * Copy what `apsp-solve --devices` last said, at most n devices. Returns how
 * many there are, or the error that it ended with: APSP_EDEVICE (no device
 * that --device allows, or the runtime failed), APSP_ENOTREADY (not yet asked).
 */
int apsp_worker_devices(struct apsp_worker *worker,
	struct apsp_device_info *out, size_t n, struct apsp_err *err);

/*
 * Copy the rates of the chosen device. False: it has not been measured, and
 * *out means nothing. Any thread, never blocks.
 */
bool apsp_worker_rates(struct apsp_worker *worker, struct apsp_rates *out);

/* An estimate, and what it is of. */
struct apsp_worker_estimate {
	struct apsp_device_info device;
	bool measured; /* by this device's own rates, else those of its kind */
	struct apsp_plan plan;
};

/*
 * What a job would take on the chosen device (plan.h), algorithm being "" or a
 * name. Nothing being feasible is no error here. Any thread, never blocks.
 * Errors as apsp_worker_devices(), but for an algorithm that needs no device.
 */
int apsp_worker_estimate(struct apsp_worker *worker,
	const struct apsp_workload *work, uint64_t disk_bytes,
	const char *algorithm, struct apsp_worker_estimate *out,
	struct apsp_err *err);

#endif
