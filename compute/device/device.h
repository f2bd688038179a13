/*
 * One OpenCL device: found by --device, opened, with its context, its queue,
 * its limits and its row of the tuning table. Belongs to one thread.
 */
#ifndef APSP_COMPUTE_DEVICE_DEVICE_H
#define APSP_COMPUTE_DEVICE_DEVICE_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stdint.h>

#include "compute/device/trial_ops.h"
#include "compute/plan/device_info.h"
#include "compute/plan/held_memory.h"
#include "compute/plan/tuning.h"
#include "daemon/base/err.h"

struct apsp_pinned_pool;
struct apsp_programs;

enum {
	APSP_FAST_SIZE = 48,
};

struct apsp_device {
	cl_device_id id;
	cl_context context;
	cl_command_queue queue; /* in order */
	struct apsp_device_info info;
	unsigned int capability; /* NVIDIA's, times ten; 0: not told */
	/* options of kernels' fast form; "": there is none (kernel_form.h) */
	char fast[APSP_FAST_SIZE];
	/* which forms may be fast: "" or "all", "none", or one's name */
	const char *forms;
	struct apsp_trial_ops trial; /* run NULL: none */
	bool host_memory;	     /* its buffers lie in the host's memory */
	uint64_t memory_bytes;	     /* usable: the device's own or the cap */
	const struct apsp_tuning *tuning;
	char *kernel_dir; /* of compiled programs; owned */
	char *identity;	  /* platform, device and driver versions; owned */
	struct apsp_programs *programs; /* compiled so far; owned */
	/* left by earlier jobs; owned; NULL: none is kept */
	struct apsp_pinned_pool *pinned;
	double open_s;		      /* so long to open, by itself */
	bool was_open;		      /* for an earlier job of this process */
	struct apsp_held_memory held; /* then: before the present job */
};

struct apsp_device_options {
	const char *device;	/* as wanted in device_list.h */
	const char *kernel_dir; /* made if missing and possible */
	uint64_t memory_cap;	/* bytes; 0: none */
};

/*
 * Open the device that options->device picks. The caller ends *out with
 * apsp_device_close(). Errors as apsp_device_list_pick(); APSP_EDEVICE also
 * where the device does not open; APSP_ENOMEM.
 */
int apsp_device_open(const struct apsp_device_options *options,
	struct apsp_device *out, struct apsp_err *err);
void apsp_device_close(struct apsp_device *device);

#endif
