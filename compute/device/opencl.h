/*
 * OpenCL's status codes as our errors.
 */
#ifndef APSP_COMPUTE_DEVICE_OPENCL_H
#define APSP_COMPUTE_DEVICE_OPENCL_H

#include <CL/cl.h>

#include "daemon/base/err.h"

/*
 * Returns 0 for CL_SUCCESS. APSP_ELIMIT: the device's memory is full;
 * APSP_EDEVICE: any other status. The message is as "<what>:
 * CL_OUT_OF_RESOURCES (-5)".
 */
int apsp_opencl_check(cl_int status, const char *what, struct apsp_err *err);

#endif
