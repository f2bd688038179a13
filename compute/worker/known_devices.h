/*
 * The devices that apsp-solve has listed, with the rates of the chosen one. The
 * worker's thread sets them; any thread copies them or estimates with them.
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
	pthread_mutex_t mutex; /* of everything below */
	struct apsp_device_info list[APSP_DEVICES_KNOWN_MAX];
	size_t n;
	struct apsp_err err;	      /* code 0: list is valid */
	struct apsp_rates rates;      /* of the chosen device, once measured */
	bool solver_waits;	      /* for a job, with the device open */
	struct apsp_held_memory held; /* by the solver that waits */
	struct apsp_job_pace pace;    /* of jobs since rates was last set */
};

/* Until apsp_known_devices_set() the error is APSP_ENOTREADY. */
void apsp_known_devices_init(struct apsp_known_devices *devices);
void apsp_known_devices_done(struct apsp_known_devices *devices);

/* n devices, at most APSP_DEVICES_KNOWN_MAX; err says why there are none. */
void apsp_known_devices_set(struct apsp_known_devices *devices,
	const struct apsp_device_info *list, size_t n,
	const struct apsp_err *err);
void apsp_known_devices_set_rates(
	struct apsp_known_devices *devices, const struct apsp_rates *rates);

/* Whether a solver waits for a job with the device open, and the memory that it
   holds. */
void apsp_known_devices_set_waiting(struct apsp_known_devices *devices,
	bool solver_waits, const struct apsp_held_memory *held);

/* After a job has succeeded: estimates learn from it
   (compute/plan/job_pace.h). */
void apsp_known_devices_learn(
	struct apsp_known_devices *devices, const struct apsp_paced_job *job);

/* As apsp_worker_devices(). */
int apsp_known_devices_copy(struct apsp_known_devices *devices,
	struct apsp_device_info *out, size_t n, struct apsp_err *err);

/* As apsp_worker_rates(). */
bool apsp_known_devices_copy_rates(
	struct apsp_known_devices *devices, struct apsp_rates *out);

/*
 * Plan on the chosen device; memory_cap in bytes, 0: none. *out_measured: the
 * device's own rates were used, else the default rates of its kind. algorithm
 * and errors as of apsp_worker_estimate().
 */
int apsp_known_devices_plan(struct apsp_known_devices *devices,
	uint64_t memory_cap, const struct apsp_workload *work,
	uint64_t disk_bytes, const char *algorithm,
	struct apsp_device_info *out_device, bool *out_measured,
	struct apsp_plan *out, struct apsp_err *err);

#endif
