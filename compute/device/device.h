/*
 * Lists the OpenCL devices of this machine, and opens one of them. An open
 * device has a context, a queue, its limits and its row of the tuning table
 * (compute/plan/tuning.h). Only one thread at a time may use an open device.
 *
 * The option --device, called `wanted` here, is "auto", "cpu", "gpu" or a part
 * of the text "NAME PLATFORM". This text consists of a device's name, a space
 * and the name of its platform. Upper and lower case count as equal. "auto"
 * selects a GPU if there is one, otherwise the first device. If several devices
 * match, the option selects the device that OpenCL lists first.
 */
#ifndef APSP_COMPUTE_DEVICE_DEVICE_H
#define APSP_COMPUTE_DEVICE_DEVICE_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>
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
	cl_command_queue queue; /* runs commands in order */
	struct apsp_device_info info;
	/* NVIDIA's compute capability times ten; 0: not reported */
	unsigned int capability;
	/* compiler options for the fast forms of kernels; "": the device has no
	   fast forms (kernel_form.h) */
	char fast[APSP_FAST_SIZE];
	/* Names the programs that are allowed to run in their fast form. "all"
	   or "": all programs; "none": no program; any other text: only the
	   program with this name (apsp_kernel_form_name()). */
	const char *forms;
	/* trial.run() tries the fast form of a kernel (kernel_form.h) before
	   its first use. If trial.run is NULL, fast forms are used without a
	   trial. */
	struct apsp_trial_ops trial;
	bool host_memory; /* buffers lie in the host's memory */
	/* number of bytes that the jobs of all processes together are allowed
	   to use: the device's memory, or less if
	   apsp_device_options.memory_cap is lower */
	uint64_t all_bytes;
	uint64_t memory_bytes; /* this process's share of all_bytes */
	const struct apsp_tuning *tuning;
	char *kernel_dir; /* directory of compiled programs; owned */
	/* The platform's name, the device's name and version, and the driver's
	   version. The key of each compiled program contains this text. Owned.
	 */
	char *identity;
	/* the device's programs and the tests that it has passed; owned */
	struct apsp_programs *programs;
	/* pinned buffers of earlier jobs, kept for later jobs; owned; NULL: no
	   buffers are kept */
	struct apsp_pinned_pool *pinned;
	double open_s; /* seconds that opening took */
	/*
	 * A number that identifies the device. The processes of a group
	 * (compute/group/group.h) compare these numbers to find out which of
	 * them share a device. Processes that have opened the same device have
	 * the same key. Processes of one host that have opened different
	 * devices have different keys. If `unique` is true, devices of
	 * different hosts have different keys, too.
	 */
	uint64_t key;
	bool unique;
	/* number of processes that have opened the device, including this
	   process; these processes divide the device's memory */
	unsigned int n_sharers;
	/* number of devices that the processes of the group
	   (compute/group/group.h) have opened; a device that several processes
	   share counts once */
	unsigned int n_devices;
	/* the device was already open when the present job began */
	bool was_open;
	/* host memory that the process held before the present job; valid if
	   was_open is set */
	struct apsp_held_memory held;
};

/*
 * List the devices of this machine, and store at most `max` of them in `out`.
 * The member `chosen` is true for the device that `wanted` (--device) selects.
 * If no device matches `wanted`, `chosen` is false for all devices. Returns the
 * number of devices on this machine. APSP_EDEVICE: OpenCL's loader failed.
 */
int apsp_device_list(const char *wanted, struct apsp_device_info *out,
	size_t max, struct apsp_err *err);

struct apsp_device_options {
	const char *device;	/* value of the option --device (see the first
				   comment of this file) */
	const char *kernel_dir; /* directory of compiled programs; created if it
				   is missing */
	uint64_t memory_cap; /* largest number of bytes that jobs are allowed to
				use; 0: no limit */
	/*
	 * The number of this process, from 0 on, among the processes of this
	 * host that open devices together. If several devices of one type
	 * match, the processes open different devices. If there are more
	 * processes than devices, some processes share a device.
	 */
	unsigned int turn;
};

/*
 * Open the device that options->device selects. The caller ends *out with
 * apsp_device_close(). APSP_EDEVICE: the device cannot be opened, or no device
 * matches. If no device matches, the message names the devices that exist.
 * APSP_ENOMEM.
 */
int apsp_device_open(const struct apsp_device_options *options,
	struct apsp_device *out, struct apsp_err *err);
void apsp_device_close(struct apsp_device *device);

/* Divide the device's memory among the n_sharers processes that have opened the
   device. n_devices is the number of devices that the processes of the group
   (compute/group/group.h) have opened; a device that several processes share
   counts once. */
void apsp_device_divide(struct apsp_device *device, unsigned int n_sharers,
	unsigned int n_devices);

/* Make one more queue on the device, for example for copies that run in
   parallel with kernels. The caller ends *out with clReleaseCommandQueue().
   APSP_EDEVICE. */
int apsp_device_queue_make(const struct apsp_device *device,
	cl_command_queue *out, struct apsp_err *err);

#endif
