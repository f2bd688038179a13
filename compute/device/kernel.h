/*
 * One kernel of a compiled program: setting its arguments and launching it on a
 * device's queue.
 */
#ifndef APSP_COMPUTE_DEVICE_KERNEL_H
#define APSP_COMPUTE_DEVICE_KERNEL_H

#include <CL/cl.h>
#include <stddef.h>
#include <stdint.h>

#include "compute/device/device.h"
#include "daemon/base/err.h"

/* Find the kernel `name` in a compiled program. The caller ends *out with
   apsp_kernel_done(). APSP_EDEVICE: the program has no such kernel. */
int apsp_kernel_make(cl_program program, const char *name, cl_kernel *out,
	struct apsp_err *err);

/*
 * apsp_kernel_done() releases a kernel, and apsp_kernel_program_done() releases
 * a program. Both do nothing if the handle is NULL, so that APSP_AUTO can call
 * them.
 */
void apsp_kernel_done(cl_kernel *kernel);
void apsp_kernel_program_done(cl_program *program);

struct apsp_kernel_arg {
	size_t size;
	const void *value;
};

#define APSP_ARG(x)                                                            \
	{                                                                      \
		sizeof(x), &(x)                                                \
	}

/* Set the n arguments of a kernel, in order. APSP_EDEVICE. */
int apsp_kernel_args(cl_kernel kernel, const struct apsp_kernel_arg *args,
	size_t n, struct apsp_err *err);

/*
 * Enqueue a launch of columns × rows work-items, in groups of group_columns ×
 * group_rows work-items. The number of columns is rounded up to a multiple of
 * group_columns, and the number of rows to a multiple of group_rows.
 * APSP_EDEVICE.
 */
int apsp_kernel_launch(const struct apsp_device *device, cl_kernel kernel,
	size_t columns, size_t rows, size_t group_columns, size_t group_rows,
	struct apsp_err *err);

/* Enqueue a launch of a kernel that handles n elements. Each work-item of the
   kernel can handle several elements. The number of work-items is just large
   enough to keep the device busy. APSP_EDEVICE. */
int apsp_kernel_launch_strided(const struct apsp_device *device,
	cl_kernel kernel, uint64_t n, struct apsp_err *err);

#endif
