/*
 * Making and launching kernels; see kernel.h.
 */
#include "compute/device/kernel.h"

#include "compute/device/opencl.h"

enum {
	/* if each work-item of a kernel handles several elements, this number
	   of work-items keeps any GPU busy */
	STRIDED_ITEMS = 1 << 20,
	STRIDED_GROUP = 64,
};

int apsp_kernel_make(cl_program program, const char *name, cl_kernel *out,
	struct apsp_err *err)
{
	cl_int status;
	cl_kernel kernel = clCreateKernel(program, name, &status);
	int r = apsp_opencl_check(status, name, err);

	if (r >= 0)
		*out = kernel;
	return r;
}

int apsp_kernel_args(cl_kernel kernel, const struct apsp_kernel_arg *args,
	size_t n, struct apsp_err *err)
{
	for (size_t i = 0; i < n; i++) {
		int r = apsp_opencl_check(clSetKernelArg(kernel, (cl_uint)i,
						  args[i].size, args[i].value),
			"set a kernel's argument", err);

		if (r < 0)
			return r;
	}
	return 0;
}

int apsp_kernel_launch(const struct apsp_device *device, cl_kernel kernel,
	size_t columns, size_t rows, size_t group_columns, size_t group_rows,
	struct apsp_err *err)
{
	const size_t local[2] = {group_columns, group_rows};
	const size_t global[2] = {
		(columns + group_columns - 1) / group_columns * group_columns,
		(rows + group_rows - 1) / group_rows * group_rows,
	};

	if (columns == 0 || rows == 0)
		return 0;
	return apsp_opencl_check(clEnqueueNDRangeKernel(device->queue, kernel,
					 2, NULL, global, local, 0, NULL, NULL),
		"launch a kernel", err);
}

int apsp_kernel_launch_strided(const struct apsp_device *device,
	cl_kernel kernel, uint64_t n, struct apsp_err *err)
{
	bool gpu = device->tuning->gpu;
	uint64_t most = gpu ? STRIDED_ITEMS : device->info.compute_units;

	/* a CPU is fastest with one work-item for each compute unit, and a long
	   loop in each work-item */
	return apsp_kernel_launch(device, kernel, n < most ? n : most, 1,
		gpu ? STRIDED_GROUP : 1, 1, err);
}

void apsp_kernel_done(cl_kernel *kernel)
{
	if (*kernel)
		clReleaseKernel(*kernel);
	*kernel = NULL;
}

void apsp_kernel_program_done(cl_program *program)
{
	if (*program)
		clReleaseProgram(*program);
	*program = NULL;
}
