/*
 * One OpenCL device: found by --device, opened, with its context, its queue,
 * its limits and its row of the tuning table. Belongs to one thread.
 */
#ifndef APSP_COMPUTE_DEVICE_H
#define APSP_COMPUTE_DEVICE_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compute/device_info.h"
#include "compute/tuning.h"
#include "daemon/base/err.h"

struct apsp_device {
	cl_device_id id;
	cl_context context;
	cl_command_queue queue; /* in order */
	struct apsp_device_info info;
	bool ptx;	       /* the compiler takes inline PTX */
	bool host_memory;      /* its buffers lie in the host's memory */
	uint64_t memory_bytes; /* usable: the device's own or the cap */
	const struct apsp_tuning *tuning;
	char *kernel_dir; /* where compiled programs are kept; owned */
	char *identity;	  /* platform, device and driver versions; owned */
};

struct apsp_device_options {
	const char *device;	/* auto, cpu, gpu or a part of a name */
	const char *kernel_dir; /* made if missing, if that can be */
	uint64_t memory_cap;	/* bytes; 0: none */
};

/*
 * Open the device that options->device picks: auto prefers a GPU, a substring
 * is looked for in "name platform", case ignored. Among equals the first that
 * the loader lists. APSP_EDEVICE: none is there, or the runtime failed; the
 * message names those that are there. The caller ends *out with
 * apsp_device_close().
 */
int apsp_device_open(const struct apsp_device_options *options,
	struct apsp_device *out, struct apsp_err *err);
void apsp_device_close(struct apsp_device *device);

/* What rows of the tuning table are checked against. APSP_EDEVICE. */
int apsp_device_get_limits(
	cl_device_id id, struct apsp_tuning_limits *out, struct apsp_err *err);

/*
 * Store at most max devices, the picked one marked; none picked is not an
 * error here. Returns how many there are, or APSP_EDEVICE.
 */
int apsp_device_list(const struct apsp_device_options *options,
	struct apsp_device_info *out, size_t max, struct apsp_err *err);

/*
 * Set APSP_EDEVICE for an OpenCL status: "<what>: CL_OUT_OF_RESOURCES (-5)", or
 * APSP_ELIMIT where the device's memory is full. Returns 0 for CL_SUCCESS.
 */
int apsp_device_check(cl_int status, const char *what, struct apsp_err *err);

/*
 * A buffer of size bytes (at least 1), filled from data unless that is NULL.
 * APSP_ELIMIT: larger than the device allows, or its memory is full;
 * APSP_EDEVICE.
 */
int apsp_device_buffer(const struct apsp_device *device, size_t size,
	const void *data, cl_mem *out, struct apsp_err *err);

/* A device buffer that the host writes, from end to end. */
struct apsp_device_map {
	const struct apsp_device *device; /* borrowed */
	cl_mem buffer;			  /* borrowed */
	void *bytes;			  /* NULL: no more */
};

/*
 * A buffer as apsp_device_buffer() makes it, mapped: for what would be large on
 * the host as well. The buffer is to outlive *out, which the caller ends with
 * apsp_device_map_close() or, in any case, with apsp_device_map_done(). Errors
 * likewise.
 */
int apsp_device_map_open(const struct apsp_device *device, size_t size,
	cl_mem *out_buffer, struct apsp_device_map *out, struct apsp_err *err);

/* What was written is there before anything that is enqueued later. */
int apsp_device_map_close(struct apsp_device_map *map, struct apsp_err *err);
void apsp_device_map_done(struct apsp_device_map *map);

/*
 * A buffer of size bytes (at least 1) in host memory, which stays mapped at
 * *out_bytes, pinned where the device has its own memory: transfers from and to
 * it run at full speed and beside kernels. The caller ends it with
 * apsp_device_pinned_done(). Errors as apsp_device_buffer().
 */
int apsp_device_pinned(const struct apsp_device *device, size_t size,
	cl_mem *out, void **out_bytes, struct apsp_err *err);

/* Waits for the device's queue. Accepts empty ones and leaves such. */
void apsp_device_pinned_done(
	const struct apsp_device *device, cl_mem *buffer, void **bytes);

/* For APSP_AUTO; accept empty ones. */
void apsp_device_buffer_done(cl_mem *buffer);
void apsp_device_kernel_done(cl_kernel *kernel);
void apsp_device_program_done(cl_program *program);

#endif
