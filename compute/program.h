/*
 * Compiled kernels: from the embedded sources, by way of the cache directory.
 *
 * A cached binary is a file that repeats its whole key (device, driver, options
 * and source), so that a change of any of them compiles anew and a damaged file
 * is passed over. It is written under another name and renamed.
 */
#ifndef APSP_COMPUTE_PROGRAM_H
#define APSP_COMPUTE_PROGRAM_H

#include <CL/cl.h>

#include "compute/device.h"
#include "daemon/base/err.h"
#include "daemon/base/table_file.h"

/*
 * Compile kernels/<source>.cl for elements of V. The geometry options (ELEMENT,
 * TILE, SPAN, PTX) come from the device and its tuning, `more` is added ("" for
 * none). The caller releases *out.
 *
 * APSP_EDEVICE: it does not compile; the end of the build log is in the message
 * and the whole of it has gone to stderr. A cache that cannot be written costs
 * time, not the job.
 */
int apsp_program_build(const struct apsp_device *device, const char *source,
	enum apsp_element element, const char *more, cl_program *out,
	struct apsp_err *err);

/* The same, and one kernel of it, for programs that are used by one kernel. */
int apsp_program_kernel(const struct apsp_device *device, const char *source,
	enum apsp_element element, const char *more, const char *kernel,
	cl_kernel *out, struct apsp_err *err);

/* One kernel of a program. The caller releases *out. APSP_EDEVICE. */
int apsp_kernel_make(cl_program program, const char *name, cl_kernel *out,
	struct apsp_err *err);

/*
 * Set the n arguments of a kernel in order.
 */
struct apsp_kernel_arg {
	size_t size;
	const void *value;
};
int apsp_kernel_args(cl_kernel kernel, const struct apsp_kernel_arg *args,
	size_t n, struct apsp_err *err);

#define APSP_ARG(x)                                                            \
	{                                                                      \
		sizeof(x), &(x)                                                \
	}

/*
 * Launch over a global size of (columns, rows), rounded up to whole groups of
 * (group_columns, group_rows), on the device's queue. Does not wait.
 */
int apsp_kernel_launch(const struct apsp_device *device, cl_kernel kernel,
	size_t columns, size_t rows, size_t group_columns, size_t group_rows,
	struct apsp_err *err);

/*
 * Launch over n things with as many items as fill the device, each of which
 * strides. Does not wait.
 */
int apsp_kernel_launch_strided(const struct apsp_device *device,
	cl_kernel kernel, uint64_t n, struct apsp_err *err);

#endif
