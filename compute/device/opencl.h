/* OpenCL's status codes as our errors, and a workaround for a driver. */
#ifndef APSP_COMPUTE_DEVICE_OPENCL_H
#define APSP_COMPUTE_DEVICE_OPENCL_H

#include <CL/cl.h>

#include "daemon/base/err.h"

/*
 * Turn a status of OpenCL into an error of ours. Returns 0 for CL_SUCCESS.
 * APSP_ELIMIT: the device's memory is full; APSP_EDEVICE: any other status. The
 * message is like "<what>: CL_OUT_OF_RESOURCES (-5)".
 */
int apsp_opencl_check(cl_int status, const char *what, struct apsp_err *err);

/*
 * Wait for all commands in the queue, as clFinish() should do. The clFinish()
 * of some drivers does not wait for commands that an earlier clFlush()
 * submitted: with clFinish(), the driver rusticl of Mesa 22.3 read the tiles'
 * marks of `blocked-fw` from memory that had been freed.
 */
cl_int apsp_opencl_finish(cl_command_queue queue);

#endif
