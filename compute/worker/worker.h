/*
 * The worker thread. It claims jobs from the queue, and runs one job at a time
 * in a child process, `apsp-solve JOBDIR`. Then it publishes the job's tables
 * (compute/worker/README.md, A child owns the device). It uses no OpenCL, SQL
 * or HTTP.
 *
 * A job gets one more try if its child dies, hangs, loses the device or leaves
 * an incomplete table file, and if the queue allows one more try. Every other
 * failure that the child reports is final.
 */
#ifndef APSP_COMPUTE_WORKER_WORKER_H
#define APSP_COMPUTE_WORKER_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compute/plan/device_info.h"
#include "compute/plan/rates.h"
#include "compute/worker/known_devices.h"
#include "compute/worker/worker_ops.h"
#include "daemon/base/err.h"
#include "daemon/job/job.h"
#include "daemon/base/settings.h"

struct apsp_worker;

struct apsp_worker_config {
	const char *solver; /* path of apsp-solve */
	/* borrowed until apsp_worker_stop(); jobs/ and kernels/ are made in
	   settings->cache_dir */
	const struct apsp_settings *settings;
	struct apsp_worker_ops ops;
	/* a job's solver is ended if it prints no event for this number of
	   milliseconds, unless it has announced a longer time; 0: a minute */
	int stall_ms;
	/* the longest sleep of the thread, which shows a sign of life after
	   each sleep (daemon/base/pulse.h); 0: the thread is not watched */
	int beat_ms;
};

/*
 * Remove the directories that an earlier daemon left in <cache_dir>/jobs, and
 * start the thread. The thread lists the devices (`apsp-solve --devices`) and
 * then runs jobs. The solver's path is copied; the settings are borrowed.
 *
 * After 3 s without a job, the thread measures the device (`apsp-solve
 * --calibrate`). A measurement is stopped when a job comes. It is also stopped
 * after five minutes, because other programs may keep the machine busy. Kernels
 * that a stopped measurement has compiled are kept. After each stopped
 * measurement, the wait before the next measurement is doubled, up to an hour.
 * A measurement that finishes or fails is not repeated.
 *
 * The caller ends *out with apsp_worker_stop(). Fails with the codes of
 * apsp_solver_process_init() and apsp_job_dir_prepare(), and with APSP_EIO if
 * no thread can be started.
 */
int apsp_worker_start(const struct apsp_worker_config *config,
	struct apsp_worker **out, struct apsp_err *err);

/*
 * Ask the worker to end, and return at once, so that the caller can stop other
 * threads while the worker ends. The caller must call apsp_worker_stop() later.
 * Any thread may call this.
 */
void apsp_worker_ask_stop(struct apsp_worker *worker);

/*
 * End the running child (SIGTERM to its process group, SIGKILL after 2 s, for a
 * launcher after 4 s), put its job back in the queue, join the thread and free
 * the worker. Blocks for at most 5 s.
 */
void apsp_worker_stop(struct apsp_worker *worker);

/*
 * Check that the thread has shown a sign of life within the last limit_ms
 * milliseconds. While the thread runs a function of worker_ops.h, half an hour
 * without a sign is allowed, because the function can wait for the thread that
 * writes the database, or write gigabytes to the disk. Returns 0.
 * APSP_ESTALLED: the thread has shown no sign for a longer time. Any thread may
 * call this.
 */
int apsp_worker_alive(const struct apsp_worker *worker, int64_t limit_ms,
	struct apsp_err *err);

/* Wake the thread: there may be a job to claim. Any thread may call this. Never
   blocks. */
void apsp_worker_wake(struct apsp_worker *worker);

/* Cancel the job `id` if it is running; otherwise do nothing. Any thread may
   call this. Never blocks. */
void apsp_worker_cancel(struct apsp_worker *worker, uint64_t id);

/*
 * Copy the state of the running job; out->id is 0 if none runs. Any thread may
 * call this. Never blocks.
 */
void apsp_worker_present(
	struct apsp_worker *worker, struct apsp_job_present *out);

/*
 * Return how many bytes on disk the files of the job `id` take in the cache; 0
 * if this job is not running. Any thread may call this.
 */
uint64_t apsp_worker_disk(struct apsp_worker *worker, uint64_t id);

/*
 * Copy at most n of the devices that `apsp-solve --devices` has listed. Returns
 * the number of listed devices, or an error:
 *
 *	APSP_EDEVICE    no device matches --device, or the runtime failed
 *	APSP_ESTALLED   the runtime hung
 *	APSP_EBUSY      descriptors or processes are lacking at present
 *	APSP_ENOTREADY  the devices are not listed yet
 */
int apsp_worker_devices(struct apsp_worker *worker,
	struct apsp_device_info *out, size_t n, struct apsp_err *err);

/*
 * Copy the rates of the chosen device. False: the device has not been measured,
 * and *out is undefined. Any thread may call this. Never blocks.
 */
bool apsp_worker_rates(struct apsp_worker *worker, struct apsp_rates *out);

/*
 * Plan a job on the chosen device (compute/plan/plan.h). `algorithm` is a name,
 * or "" to let the plan choose. Returns 0 even if the plan says that no
 * algorithm is feasible. Fails with the errors of apsp_worker_devices(), unless
 * the algorithm needs no device. Any thread may call this. Never blocks.
 */
int apsp_worker_estimate(struct apsp_worker *worker,
	const struct apsp_workload *work, uint64_t disk_bytes,
	const char *algorithm, struct apsp_worker_estimate *out,
	struct apsp_err *err);

#endif
