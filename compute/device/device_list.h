/*
 * The OpenCL devices of this machine, as its loader lists them, and the one
 * that --device picks.
 */
#ifndef APSP_COMPUTE_DEVICE_DEVICE_LIST_H
#define APSP_COMPUTE_DEVICE_DEVICE_LIST_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>

#include "compute/plan/device_info.h"
#include "compute/plan/tuning.h"
#include "daemon/base/err.h"

/* One device, not opened. */
struct apsp_device_candidate {
	cl_platform_id platform;
	cl_device_id id;
	cl_device_type type;
	struct apsp_device_info info;
};

/*
 * wanted is auto, cpu, gpu or a part of "name platform", case ignored. auto
 * prefers a GPU. Among devices that fit, the first one listed is picked.
 *
 * Store at most max devices, the picked one marked; that none fits is not an
 * error here. Returns how many there are. APSP_EDEVICE: the loader failed.
 */
int apsp_device_list(const char *wanted, struct apsp_device_info *out,
	size_t max, struct apsp_err *err);

/*
 * Store the device that wanted picks. APSP_EDEVICE: none fits, and the message
 * names those that there are; or the loader failed.
 */
int apsp_device_list_pick(const char *wanted, struct apsp_device_candidate *out,
	struct apsp_err *err);

/* The limits that rows of the tuning table are checked against. APSP_EDEVICE.
 */
int apsp_device_list_limits(
	cl_device_id id, struct apsp_tuning_limits *out, struct apsp_err *err);

/* A device's text, "" where it is longer than size. */
void apsp_device_list_text(
	cl_device_id id, cl_device_info what, char *out, size_t size);

/* Whether a device has an extension of OpenCL. */
bool apsp_device_list_extension(cl_device_id id, const char *name);

/* Ten times the compute capability that an NVIDIA device tells, 75 for 7.5; 0:
   the device does not tell one. */
unsigned int apsp_device_list_capability(cl_device_id id);

#endif
