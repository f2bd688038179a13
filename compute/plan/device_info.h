/*
 * A device as `apsp-solve --devices` describes it: plain data, which the daemon
 * shows to clients and uses in its plans.
 */
#ifndef APSP_COMPUTE_PLAN_DEVICE_INFO_H
#define APSP_COMPUTE_PLAN_DEVICE_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compute/plan/tuning.h"
#include "daemon/base/err.h"
#include "daemon/job/job.h"

struct apsp_device_info {
	char name[APSP_DEVICE_NAME_SIZE];
	char platform[APSP_DEVICE_NAME_SIZE];
	char version[APSP_DEVICE_NAME_SIZE];
	char type[8]; /* "cpu", "gpu", "other" */
	uint64_t memory_bytes;
	uint64_t largest_buffer_bytes;
	/* number of compute units; for a CPU, at most the number of processors
	   that the solver is allowed to use */
	uint32_t compute_units;
	/* limits of a work-group; a limit of 0 is not known */
	struct apsp_tuning_limits limits;
	bool has_double;
	bool has_wide_atomics; /* the device has atomic minima of 64 bits */
	bool chosen; /* true: the setting --device selects this device */
};

/* Return how many bytes of the device's memory the solver can use: all bytes if
   `cap` is 0, otherwise at most `cap` bytes. */
uint64_t apsp_device_info_memory(
	const struct apsp_device_info *info, uint64_t cap);

/* Whether the device is a CPU, so that its buffers are in the host's memory. */
bool apsp_device_info_on_host(const struct apsp_device_info *info);

/* Return the device's row of the tuning table (tuning.h), never NULL. The row
   of the table determines which kernels run. A GPU whose limits are too low for
   all rows of GPUs gets the row of CPUs. */
const struct apsp_tuning *apsp_device_info_tuning(
	const struct apsp_device_info *info);

/* Fail with APSP_EDEVICE, because the setting --device (`wanted`) selects none
   of the machine's n devices. The message names the devices. */
int apsp_device_info_refuse(const char *wanted,
	const struct apsp_device_info *devices, size_t n, struct apsp_err *err);

/* The size of the longest text of apsp_device_info_format(), including its
   NUL. */
enum {
	/* Size in bytes for three names and the other fields. Escaping can turn
	   a byte of a name into three bytes. */
	APSP_DEVICE_INFO_TEXT_SIZE = 9 * APSP_DEVICE_NAME_SIZE + 256,
};

/* Format the device as the fields (daemon/base/fields.h) of the line `found`
   that the solver prints. */
void apsp_device_info_format(const struct apsp_device_info *info,
	char out[APSP_DEVICE_INFO_TEXT_SIZE]);

/* Parse the fields of a line `found`. False: a field is missing or invalid. */
bool apsp_device_info_parse(const char *text, struct apsp_device_info *out);

#endif
