/* Turns OpenCL's status codes into our error codes (err.h), fills and reads
   buffers, and works around a defect of a driver. */
#ifndef APSP_COMPUTE_DEVICE_OPENCL_H
#define APSP_COMPUTE_DEVICE_OPENCL_H

#include <CL/cl.h>
#include <stddef.h>

#include "daemon/base/err.h"

/*
 * Turn a status code of OpenCL into one of our error codes, with a message such
 * as "<what>: CL_OUT_OF_RESOURCES (-5)". Returns 0 for CL_SUCCESS. APSP_ELIMIT:
 * the device's memory is full; APSP_EDEVICE: any other status.
 */
int apsp_opencl_check(cl_int status, const char *what, struct apsp_err *err);

/*
 * Wait for all commands in the queue. Use this function instead of clFinish(),
 * because the clFinish() of some drivers does not wait for commands that an
 * earlier clFlush() submitted. For example, the clFinish() of rusticl (Mesa
 * 22.3) returned while commands of the algorithm `blocked-fw` still had to read
 * an array of marks. The host then freed this array, and the commands read
 * freed memory.
 */
cl_int apsp_opencl_finish(cl_command_queue queue);

/* If *event is not NULL, wait until it completes, release it and set it to
   NULL. Errors as apsp_opencl_check(). */
int apsp_opencl_await(cl_event *event, const char *what, struct apsp_err *err);

/* Enqueue a command that fills `size` bytes of a buffer, from `offset` on, with
   copies of a value of value_size bytes. Errors as apsp_opencl_check(). */
int apsp_opencl_fill(cl_command_queue queue, cl_mem buffer, const void *value,
	size_t value_size, size_t offset, size_t size, const char *what,
	struct apsp_err *err);

/* Wait for all commands that were enqueued before, and read `size` bytes of a
   buffer, from `offset` on. Errors as apsp_opencl_check(). */
int apsp_opencl_read(cl_command_queue queue, cl_mem buffer, size_t offset,
	size_t size, void *out, const char *what, struct apsp_err *err);

#endif
