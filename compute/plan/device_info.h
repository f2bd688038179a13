/*
 * A device as `apsp-solve --devices` describes it: plain data, which the daemon
 * shows and plans with.
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
	struct apsp_tuning_limits limits; /* 0: the device does not say */
	bool has_double;
	bool has_wide_atomics; /* minima of 64 bits */
	bool chosen;	       /* --device picks this one */
};

/* Bytes of its memory that may be used; cap is the most, 0: no cap. */
uint64_t apsp_device_info_memory(
	const struct apsp_device_info *info, uint64_t cap);

/* Whether the device's buffers lie in the host's memory. */
bool apsp_device_info_on_host(const struct apsp_device_info *info);

/*
 * The device's row of the tuning table, never NULL. The row decides which
 * kernels run: a GPU that cannot hold a GPUs' row runs the CPUs' kernels.
 */
const struct apsp_tuning *apsp_device_info_tuning(
	const struct apsp_device_info *info);

/* Size of any device's text, with its NUL. */
enum {
	APSP_DEVICE_INFO_TEXT_SIZE = 3 * APSP_DEVICE_NAME_SIZE + 192,
};

/*
 * The device as one text, for the solver's line `found`
 * (compute/solver_event.h): numbers separated by blanks, then name, platform
 * and version, each after a tab; control characters within those become blanks.
 */
void apsp_device_info_format(const struct apsp_device_info *info,
	char out[APSP_DEVICE_INFO_TEXT_SIZE]);

/* Parse such a text. False: the text has another form. */
bool apsp_device_info_parse(const char *text, struct apsp_device_info *out);

#endif
