/*
 * Lets the host read and write a buffer of a device; see readback.h.
 */
#include "compute/device/readback.h"

#include <string.h>

#include "compute/device/device_buffer.h"
#include "compute/device/opencl.h"
#include "daemon/base/auto.h"

int apsp_readback_make(const struct apsp_device *device, size_t size,
	struct apsp_readback *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_readback_done)
	struct apsp_readback made = {.device = device, .queue = device->queue};
	int r = apsp_device_buffer_make(
		device, size, NULL, &made.on_device, err);

	if (r >= 0 && !device->host_memory)
		r = apsp_device_pinned_make(
			device, size, &made.pinned, &made.bytes, err);
	if (r < 0)
		return r;
	*out = APSP_TAKE(made);
	return 0;
}

void apsp_readback_done(struct apsp_readback *readback)
{
	struct apsp_err ignored;

	if (!readback->on_device)
		return;
	apsp_readback_release(readback, 0, &ignored);
	/* wait, because a command may still use the buffers */
	apsp_opencl_finish(readback->device->queue);
	apsp_opencl_finish(readback->queue);
	apsp_device_pinned_done(
		readback->device, &readback->pinned, &readback->bytes);
	apsp_device_buffer_done(&readback->on_device);
	memset(readback, 0, sizeof(*readback));
}

/* Make later commands of `queue` wait for all earlier commands of `first`. */
static cl_int queue_follow(cl_command_queue queue, cl_command_queue first)
{
	cl_event end = NULL;
	cl_int status;

	if (queue == first)
		return CL_SUCCESS;
	status = clEnqueueMarkerWithWaitList(first, 0, NULL, &end);
	if (status != CL_SUCCESS)
		return status;
	clFlush(first);
	status = clEnqueueBarrierWithWaitList(queue, 1, &end, NULL);
	clReleaseEvent(end);
	return status;
}

static cl_int pinned_fetch(const struct apsp_readback *readback, size_t size,
	cl_map_flags flags, cl_event *out_event)
{
	cl_command_queue queue = readback->queue;
	cl_int status = queue_follow(queue, readback->device->queue);

	if (status != CL_SUCCESS)
		return status;
	if (flags & CL_MAP_READ)
		return clEnqueueReadBuffer(queue, readback->on_device, CL_FALSE,
			0, size, readback->bytes, 0, NULL, out_event);
	return out_event
		       ? clEnqueueMarkerWithWaitList(queue, 0, NULL, out_event)
		       : CL_SUCCESS;
}

int apsp_readback_fetch(struct apsp_readback *readback, size_t size,
	cl_map_flags flags, cl_event *out_event, struct apsp_err *err)
{
	cl_int status = CL_SUCCESS;

	if (readback->pinned)
		status = pinned_fetch(readback, size, flags, out_event);
	else
		readback->bytes = clEnqueueMapBuffer(readback->device->queue,
			readback->on_device, CL_FALSE, flags, 0, size, 0, NULL,
			out_event, &status);
	return apsp_opencl_check(status, "read a device buffer", err);
}

int apsp_readback_release(
	struct apsp_readback *readback, size_t written, struct apsp_err *err)
{
	void *bytes = readback->bytes;
	cl_int status = CL_SUCCESS;

	if (readback->pinned && written > 0) {
		status = clEnqueueWriteBuffer(readback->queue,
			readback->on_device, CL_FALSE, 0, written, bytes, 0,
			NULL, NULL);
		if (status == CL_SUCCESS)
			status = queue_follow(
				readback->device->queue, readback->queue);
	} else if (!readback->pinned && bytes) {
		readback->bytes = NULL;
		status = clEnqueueUnmapMemObject(readback->device->queue,
			readback->on_device, bytes, 0, NULL, NULL);
	}
	return apsp_opencl_check(status,
		readback->pinned ? "write a device buffer"
				 : "unmap a device buffer",
		err);
}
