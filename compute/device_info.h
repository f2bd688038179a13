/*
 * A device as `apsp-solve --devices` tells of it: plain data, which the daemon
 * shows and estimates with.
 */
#ifndef APSP_COMPUTE_DEVICE_INFO_H
#define APSP_COMPUTE_DEVICE_INFO_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/tuning.h"
#include "daemon/base/job.h"

struct apsp_device_info {
	char name[APSP_DEVICE_NAME_SIZE];
	char platform[APSP_DEVICE_NAME_SIZE];
	char version[APSP_DEVICE_NAME_SIZE];
	char type[8]; /* "cpu", "gpu", "other" */
	uint64_t memory_bytes;
	uint64_t largest_buffer_bytes;
	uint32_t compute_units;
	struct apsp_tuning_limits limits; /* 0 where it does not tell */
	bool has_double;
	bool has_wide_atomics; /* minima of 64 bits */
	bool chosen;	       /* the one that --device picks */
};

/* Whether its buffers lie in the host's memory. */
bool apsp_device_info_on_host(const struct apsp_device_info *info);

/*
 * Its row of the tuning table, never NULL. The row says by what kernels it is
 * worked with: a GPU that no GPUs' row fits has the CPUs', in its own memory.
 */
const struct apsp_tuning *apsp_device_info_tuning(
	const struct apsp_device_info *info);

#endif
