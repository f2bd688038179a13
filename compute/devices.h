/*
 * What the worker knows of the devices: set on its thread, read as copies on
 * any.
 */
#ifndef APSP_COMPUTE_DEVICES_H
#define APSP_COMPUTE_DEVICES_H

#include <pthread.h>
#include <stddef.h>

#include "compute/rates.h"
#include "compute/worker.h"
#include "daemon/base/err.h"

enum {
	APSP_DEVICES_KNOWN_MAX = 32,
};

struct apsp_devices {
	pthread_mutex_t mutex; /* of everything below */
	struct apsp_device_info list[APSP_DEVICES_KNOWN_MAX];
	size_t n;
	struct apsp_err err;	 /* code 0: list is valid */
	struct apsp_rates rates; /* of the chosen one, once measured */
};

/* APSP_ENOTREADY is what they are until they are set. */
void apsp_devices_init(struct apsp_devices *devices);
void apsp_devices_done(struct apsp_devices *devices);

/* n devices, at most APSP_DEVICES_KNOWN_MAX, or why there are none. */
void apsp_devices_set(struct apsp_devices *devices,
	const struct apsp_device_info *list, size_t n,
	const struct apsp_err *err);
void apsp_devices_set_rates(
	struct apsp_devices *devices, const struct apsp_rates *rates);

/* As apsp_worker_devices(). */
int apsp_devices_copy(struct apsp_devices *devices,
	struct apsp_device_info *out, size_t n, struct apsp_err *err);

/* As apsp_worker_rates(). */
bool apsp_devices_copy_rates(
	struct apsp_devices *devices, struct apsp_rates *out);

/* As apsp_worker_estimate(); memory_cap in bytes, 0: none. */
int apsp_devices_estimate(struct apsp_devices *devices, uint64_t memory_cap,
	const struct apsp_workload *work, uint64_t disk_bytes,
	const char *algorithm, struct apsp_worker_estimate *out,
	struct apsp_err *err);

#endif
