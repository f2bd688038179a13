/*
 * The devices that apsp-solve has listed, and the facts that the worker has
 * learnt about the chosen device. worker.c makes estimates from these facts.
 * The worker's thread sets the facts and any thread copies them, so worker.c
 * protects them by a mutex.
 */
#ifndef APSP_COMPUTE_WORKER_KNOWN_DEVICES_H
#define APSP_COMPUTE_WORKER_KNOWN_DEVICES_H

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
	struct apsp_device_info list[APSP_DEVICES_KNOWN_MAX];
	size_t n;
	/* the reason why there is no list; err.code is 0 if `list` is valid */
	struct apsp_err err;
	/* rates of the chosen device; rates.measured is false until they have
	   been measured */
	struct apsp_rates rates;
	bool solver_waits; /* true: a solver waits for a job, with the device
			      open */
	struct apsp_held_memory held; /* memory that the waiting solver holds */
	/* the group of processes that solved the last job; group.processes is 0
	   if one process solved that job, or if there was no job */
	struct apsp_plan_group group;
	/* corrections of estimates, learnt from jobs since `rates` was set */
	struct apsp_job_pace pace;
};

/* A plan, and the device for which it is made. */
struct apsp_worker_estimate {
	struct apsp_device_info device;
	bool measured;	    /* true: the plan used the device's measured rates;
			       false: default rates */
	bool group_unknown; /* true: several processes may solve a job, but no
			       job has yet shown how many */
	struct apsp_plan plan;
};

/* Plan a job on the chosen device. The plan uses at most memory_cap bytes of
   the device's memory; 0: all. `algorithm`, *out and the errors have the same
   meaning as for apsp_worker_estimate(), but out->group_unknown is not set. */
int apsp_known_devices_plan(const struct apsp_known_devices *devices,
	uint64_t memory_cap, const struct apsp_workload *work,
	uint64_t disk_bytes, const char *algorithm,
	struct apsp_worker_estimate *out, struct apsp_err *err);

#endif
