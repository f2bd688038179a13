/*
 * Sets the arguments of a kernel of a compiled program (kernel_cache.h), and
 * launches the kernel on a device's queue.
 */
#ifndef APSP_COMPUTE_DEVICE_KERNEL_H
#define APSP_COMPUTE_DEVICE_KERNEL_H

#include <CL/cl.h>
#include <stddef.h>
#include <stdint.h>

#include "compute/device/device.h"
#include "daemon/base/err.h"

void apsp_kernel_done(cl_kernel *kernel); /* *kernel may be NULL */

struct apsp_kernel_arg {
	size_t size;
	const void *value;
};

#define APSP_ARG(x)                                                            \
	{                                                                      \
		sizeof(x), &(x)                                                \
	}

/*
 * The work-items of a launch: columns × rows work-items, in groups of
 * group_columns × group_rows work-items. The number of columns is rounded up to
 * a multiple of group_columns, and the number of rows to a multiple of
 * group_rows. If there are no columns or no rows, nothing is launched.
 */
struct apsp_kernel_items {
	size_t columns;
	size_t rows;
	size_t group_columns;
	size_t group_rows;
};

/* Set the n_args arguments of a kernel, in order, and enqueue a launch of the
   kernel. APSP_EDEVICE; the message has the kernel's name. */
int apsp_kernel_launch(const struct apsp_device *device, cl_kernel kernel,
	const struct apsp_kernel_arg *args, size_t n_args,
	struct apsp_kernel_items items, struct apsp_err *err);

/* Return the work-items of a kernel that handles n elements. Each work-item of
   the kernel can handle several elements. The number of work-items is just
   large enough to keep the device busy. */
struct apsp_kernel_items apsp_kernel_elements(
	const struct apsp_device *device, uint64_t n);

#endif
