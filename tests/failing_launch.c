/*
 * For LD_PRELOAD: an OpenCL driver in which one launch of a kernel fails. The
 * launch has the number APSP_FAILING_LAUNCH, counted from 0, in the process of
 * the rank APSP_FAILING_RANK (Open MPI).
 */
#include <CL/cl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "tests/next_call.h"

static atomic_long n_launches;

static long number_of(const char *name)
{
	const char *text = getenv(name);

	return text ? atol(text) : -1;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel,
	cl_uint dimensions, const size_t *offset, const size_t *global,
	const size_t *group, cl_uint n_wait, const cl_event *wait,
	cl_event *event)
{
	cl_int (*call)(cl_command_queue, cl_kernel, cl_uint, const size_t *,
		const size_t *, const size_t *, cl_uint, const cl_event *,
		cl_event *);

	if (number_of("OMPI_COMM_WORLD_RANK") ==
			number_of("APSP_FAILING_RANK") &&
		atomic_fetch_add(&n_launches, 1) ==
			number_of("APSP_FAILING_LAUNCH"))
		return CL_INVALID_COMMAND_QUEUE;
	NEXT(call, "clEnqueueNDRangeKernel");
	return call(queue, kernel, dimensions, offset, global, group, n_wait,
		wait, event);
}
