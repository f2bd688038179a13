/*
 * The devices that apsp-solve has listed, and the rates of the chosen device.
 * The worker's thread sets both. Any thread may copy them, or make estimates
 * from them.
 */
#ifndef APSP_COMPUTE_WORKER_KNOWN_DEVICES_H
#define APSP_COMPUTE_WORKER_KNOWN_DEVICES_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compute/plan/device_info.h"
#include "compute/plan/held_memory.h"
#include "compute/plan/job_pace.h"
#include "compute/plan/plan.h"
#include "compute/plan/rates.h"
#include "daemon/base/err.h"

enum {
	APSP_DEVICES_KNOWN_MAX = 32,
};

struct apsp_known_devices {
	pthread_mutex_t mutex; /* protects all members below */
	struct apsp_device_info list[APSP_DEVICES_KNOWN_MAX];
	size_t n;
	struct apsp_err err; /* its code is 0 if `list` is valid */
	/* rates of the chosen device; rates.measured is false until they have
	   been measured */
	struct apsp_rates rates;
	bool solver_waits; /* a solver waits for a job, with the device open */
	struct apsp_held_memory held; /* memory that the waiting solver holds */
	/* the group that solved the last job; group.processes is 0 if one
	   process solved it, or if there was none */
	struct apsp_plan_group group;
	/* corrections of estimates, learnt from jobs since `rates` was set */
	struct apsp_job_pace pace;
};

/* Make *devices empty. Until apsp_known_devices_set() is called,
   apsp_known_devices_copy() fails with APSP_ENOTREADY. */
void apsp_known_devices_init(struct apsp_known_devices *devices);
void apsp_known_devices_done(struct apsp_known_devices *devices);

/* Store n devices, at most APSP_DEVICES_KNOWN_MAX. If n is 0, *err has the
   reason. */
void apsp_known_devices_set(struct apsp_known_devices *devices,
	const struct apsp_device_info *list, size_t n,
	const struct apsp_err *err);
void apsp_known_devices_set_rates(
	struct apsp_known_devices *devices, const struct apsp_rates *rates);

/* Set whether a solver waits for a job with the device open, and the memory
   that this solver holds. */
void apsp_known_devices_set_waiting(struct apsp_known_devices *devices,
	bool solver_waits, const struct apsp_held_memory *held);

/* Store the group that has solved a job, for later estimates. */
void apsp_known_devices_set_group(struct apsp_known_devices *devices,
	const struct apsp_plan_group *group);

/* Whether a group is stored. */
bool apsp_known_devices_has_group(struct apsp_known_devices *devices);

/* Learn from the planned and measured seconds of a job that has succeeded, so
   that later estimates are corrected (compute/plan/job_pace.h). */
void apsp_known_devices_learn(
	struct apsp_known_devices *devices, const struct apsp_paced_job *job);

/* As apsp_worker_devices(). */
int apsp_known_devices_copy(struct apsp_known_devices *devices,
	struct apsp_device_info *out, size_t n, struct apsp_err *err);

/* As apsp_worker_rates(). */
bool apsp_known_devices_copy_rates(
	struct apsp_known_devices *devices, struct apsp_rates *out);

/*
 * Plan a job on the chosen device. The plan uses at most memory_cap bytes of
 * the device's memory; 0: all. *out_measured says which rates were used: if it
 * is true, the measured rates of this device, otherwise the default rates of
 * the device's kind. `algorithm` and the errors are as for
 * apsp_worker_estimate().
 */
int apsp_known_devices_plan(struct apsp_known_devices *devices,
	uint64_t memory_cap, const struct apsp_workload *work,
	uint64_t disk_bytes, const char *algorithm,
	struct apsp_device_info *out_device, bool *out_measured,
	struct apsp_plan *out, struct apsp_err *err);

#endif
