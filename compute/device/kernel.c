/*
 * Making and launching kernels; see kernel.h.
 */
#include "compute/device/kernel.h"

#include <stdbool.h>
#include <stdio.h>

#include "compute/device/opencl.h"

enum {
	/* if each work-item of a kernel handles several elements, this number
	   of work-items keeps any GPU busy */
	ELEMENT_ITEMS = 1 << 20,
	ELEMENT_GROUP = 64,
	NAME_SIZE = 64, /* size of a kernel's name in a message, in bytes */
};

/* Fail if `status` is an error code of OpenCL. The message has the name of the
   kernel. */
static int kernel_check(
	cl_int status, cl_kernel kernel, const char *what, struct apsp_err *err)
{
	char name[NAME_SIZE] = "", text[2 * NAME_SIZE];

	if (status == CL_SUCCESS)
		return 0;
	clGetKernelInfo(
		kernel, CL_KERNEL_FUNCTION_NAME, sizeof(name), name, NULL);
	snprintf(text, sizeof(text), "%s '%s'", what, name);
	return apsp_opencl_check(status, text, err);
}

int apsp_kernel_launch(const struct apsp_device *device, cl_kernel kernel,
	const struct apsp_kernel_arg *args, size_t n_args,
	struct apsp_kernel_items items, struct apsp_err *err)
{
	const size_t local[2] = {items.group_columns, items.group_rows};
	size_t global[2] = {items.columns, items.rows};
	int r = 0;

	if (items.columns == 0 || items.rows == 0)
		return 0;
	for (int d = 0; d < 2; d++)
		global[d] = (global[d] + local[d] - 1) / local[d] * local[d];
	for (size_t i = 0; r >= 0 && i < n_args; i++)
		r = kernel_check(clSetKernelArg(kernel, (cl_uint)i,
					 args[i].size, args[i].value),
			kernel, "set an argument of the kernel", err);
	return r < 0 ? r
		     : kernel_check(
			       clEnqueueNDRangeKernel(device->queue, kernel, 2,
				       NULL, global, local, 0, NULL, NULL),
			       kernel, "launch the kernel", err);
}

struct apsp_kernel_items apsp_kernel_elements(
	const struct apsp_device *device, uint64_t n)
{
	bool gpu = device->tuning->gpu;
	uint64_t most = gpu ? ELEMENT_ITEMS : device->info.compute_units;

	/* a CPU is fastest with one work-item for each compute unit, and a long
	   loop in each work-item */
	return (struct apsp_kernel_items){
		n < most ? n : most, 1, gpu ? ELEMENT_GROUP : 1, 1};
}

void apsp_kernel_done(cl_kernel *kernel)
{
	if (*kernel)
		clReleaseKernel(*kernel);
	*kernel = NULL;
}
