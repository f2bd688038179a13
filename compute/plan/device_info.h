/*
 * A device as `apsp-solve --devices` describes it. Plain data, which the daemon
 * shows to clients and plans with.
 */
#ifndef APSP_COMPUTE_PLAN_DEVICE_INFO_H
#define APSP_COMPUTE_PLAN_DEVICE_INFO_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/plan/tuning.h"
#include "daemon/base/job.h"

struct apsp_device_info {
	char name[APSP_DEVICE_NAME_SIZE];
	char platform[APSP_DEVICE_NAME_SIZE];
	char version[APSP_DEVICE_NAME_SIZE];
	char type[8]; /* "cpu", "gpu", "other" */
	uint64_t memory_bytes;
	uint64_t largest_buffer_bytes;
	uint32_t compute_units;
	struct apsp_tuning_limits limits; /* 0: not reported by the device */
	bool has_double;
	bool has_wide_atomics; /* minima of 64 bits */
	bool chosen;	       /* --device picks this one */
};

/* Bytes of its memory that may be used: at most cap, if cap is not 0. */
uint64_t apsp_device_info_memory(
	const struct apsp_device_info *info, uint64_t cap);

/* Whether the device's buffers lie in the host's memory. */
bool apsp_device_info_on_host(const struct apsp_device_info *info);

/*
 * The device's row of the tuning table, never NULL. The row decides which
 * kernels run: a GPU on which no row of GPUs fits runs the kernels of CPUs.
 */
const struct apsp_tuning *apsp_device_info_tuning(
	const struct apsp_device_info *info);

/* Size of any device's text, with its NUL. */
enum {
	/* each byte of a name may take three */
	APSP_DEVICE_INFO_TEXT_SIZE = 9 * APSP_DEVICE_NAME_SIZE + 256,
};

/* The device as fields (daemon/base/fields.h), for the solver's line `found`.
 */
void apsp_device_info_format(const struct apsp_device_info *info,
	char out[APSP_DEVICE_INFO_TEXT_SIZE]);

/* Parse such fields. False: one is missing or invalid. */
bool apsp_device_info_parse(const char *text, struct apsp_device_info *out);

#endif
