/*
 * The worker thread: claims jobs from the queue, runs one at a time in a child
 * process `apsp-solve JOBDIR`, and publishes the tables
 * (compute/worker/README.md, A child owns the device). The thread uses no
 * OpenCL, SQL or HTTP.
 *
 * A job is tried once more, if the queue allows it, after its child died, hung,
 * lost the device or left an incomplete table file. Every other failure that
 * the child reports is final.
 */
#ifndef APSP_COMPUTE_WORKER_WORKER_H
#define APSP_COMPUTE_WORKER_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compute/plan/device_info.h"
#include "compute/plan/plan.h"
#include "compute/plan/rates.h"
#include "compute/worker/worker_ops.h"
#include "daemon/base/err.h"
#include "daemon/base/job.h"
#include "daemon/base/settings.h"

struct apsp_worker;

struct apsp_worker_config {
	const char *solver; /* path of apsp-solve */
	/* borrowed until the stop; jobs/ and kernels/ go below cache_dir */
	const struct apsp_settings *settings;
	struct apsp_worker_ops ops;
	int stall_ms; /* silence that a solver is always allowed; 0: a minute */
	int beat_ms;  /* how often the thread shows a sign of life; 0: never */
};

/*
 * Remove the directories that an earlier daemon left in <cache_dir>/jobs, and
 * start the thread. It lists the devices (`apsp-solve --devices`) and then runs
 * jobs. The solver's path is copied, the settings are borrowed.
 *
 * After 3 s without a job the thread measures the device (`apsp-solve
 * --calibrate`), once. A job stops the measurement; so do five minutes, which
 * may not suffice if other programs keep the machine busy. Kernels that were
 * compiled are kept. The next measurement waits twice as long, up to an hour,
 * so that frequent jobs do not start measurements that never end.
 *
 * The caller ends *out with apsp_worker_stop(). APSP_ENOMEM; otherwise errors
 * as apsp_job_dir_prepare().
 */
int apsp_worker_start(const struct apsp_worker_config *config,
	struct apsp_worker **out, struct apsp_err *err);

/*
 * Ask the child to end while the caller stops other things. The caller must
 * call apsp_worker_stop() later. Any thread, never blocks.
 */
void apsp_worker_ask_stop(struct apsp_worker *worker);

/*
 * End the running child (TERM to its process group, KILL after 2 s), put its
 * job back, join the thread and free the worker. Blocks for 3 s at most.
 */
void apsp_worker_stop(struct apsp_worker *worker);

/*
 * Whether the thread has shown a sign of life within limit_ms. The calls of ops
 * may take half an hour each: they wait for the writer and for gigabytes to
 * reach the disk. APSP_ESTALLED. Any thread.
 */
int apsp_worker_alive(const struct apsp_worker *worker, int64_t limit_ms,
	struct apsp_err *err);

/* There may be a job to claim. Any thread, never blocks. */
void apsp_worker_wake(struct apsp_worker *worker);

/* End job id as cancelled if it is running; else do nothing. */
void apsp_worker_cancel(struct apsp_worker *worker, uint64_t id);

/*
 * Copy the state of the job that runs; out->id is 0 if none does. Any thread,
 * never blocks.
 */
void apsp_worker_present(
	struct apsp_worker *worker, struct apsp_job_present *out);

/*
 * Bytes of job id's files on the cache's disk; 0: that job is not running. Any
 * thread.
 */
uint64_t apsp_worker_disk(struct apsp_worker *worker, uint64_t id);

/*
 * Copy the devices that `apsp-solve --devices` has listed, at most n. Returns
 * how many devices are known, or the error: APSP_EDEVICE (no device fits
 * --device, or the runtime failed), APSP_ESTALLED (the runtime hung),
 * APSP_EBUSY (a temporary lack of descriptors or processes), APSP_ENOTREADY
 * (not yet listed).
 */
int apsp_worker_devices(struct apsp_worker *worker,
	struct apsp_device_info *out, size_t n, struct apsp_err *err);

/*
 * Copy the rates of the chosen device. False: the device has not been measured,
 * and *out means nothing. Any thread, never blocks.
 */
bool apsp_worker_rates(struct apsp_worker *worker, struct apsp_rates *out);

/* A plan, and the device that it is for. */
struct apsp_worker_estimate {
	struct apsp_device_info device;
	bool measured; /* with the device's own rates, not the defaults */
	struct apsp_plan plan;
};

/*
 * Plan a job on the chosen device (plan.h). algorithm is "" or a name. A plan
 * in which nothing is feasible is no error. Errors as apsp_worker_devices(),
 * unless the algorithm needs no device. Any thread, never blocks.
 */
int apsp_worker_estimate(struct apsp_worker *worker,
	const struct apsp_workload *work, uint64_t disk_bytes,
	const char *algorithm, struct apsp_worker_estimate *out,
	struct apsp_err *err);

#endif
