/*
 * Turns OpenCL's status codes into errors; see opencl.h.
 */
#include "compute/device/opencl.h"

static const struct {
	cl_int status;
	const char *name;
} status_names[] = {
	{CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE"},
	{CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE"},
	{CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES"},
	{CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY"},
	{CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
		"a command before it failed"},
	{CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE"},
	{CL_INVALID_VALUE, "CL_INVALID_VALUE"},
	{CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS"},
	{CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE"},
	{CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE"},
	{CL_INVALID_COMMAND_QUEUE, "CL_INVALID_COMMAND_QUEUE"},
	{-1001, "no OpenCL platform is installed"},
};

cl_int apsp_opencl_finish(cl_command_queue queue)
{
	cl_int marked = clEnqueueMarkerWithWaitList(queue, 0, NULL, NULL);
	cl_int finished = clFinish(queue);

	return finished == CL_SUCCESS ? marked : finished;
}

int apsp_opencl_check(cl_int status, const char *what, struct apsp_err *err)
{
	const char *name = "OpenCL error";

	if (status == CL_SUCCESS)
		return 0;
	if (status == CL_MEM_OBJECT_ALLOCATION_FAILURE)
		return apsp_fail(err, APSP_ELIMIT,
			"%s: the device has too little free memory", what);
	for (size_t i = 0; i < sizeof(status_names) / sizeof(*status_names);
		i++)
		if (status_names[i].status == status)
			name = status_names[i].name;
	return apsp_fail(
		err, APSP_EDEVICE, "%s: %s (%d)", what, name, (int)status);
}

int apsp_opencl_await(cl_event *event, const char *what, struct apsp_err *err)
{
	cl_int status;

	if (!*event)
		return 0;
	status = clWaitForEvents(1, event);
	clReleaseEvent(*event);
	*event = NULL;
	return apsp_opencl_check(status, what, err);
}

int apsp_opencl_fill(cl_command_queue queue, cl_mem buffer, const void *value,
	size_t value_size, size_t offset, size_t size, const char *what,
	struct apsp_err *err)
{
	return apsp_opencl_check(
		clEnqueueFillBuffer(queue, buffer, value, value_size, offset,
			size, 0, NULL, NULL),
		what, err);
}

int apsp_opencl_read(cl_command_queue queue, cl_mem buffer, size_t offset,
	size_t size, void *out, const char *what, struct apsp_err *err)
{
	return apsp_opencl_check(clEnqueueReadBuffer(queue, buffer, CL_TRUE,
					 offset, size, out, 0, NULL, NULL),
		what, err);
}
