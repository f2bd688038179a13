/*
 * Reading a device's buffer; see readback.h.
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
	struct apsp_readback made = {.device = device};
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
	apsp_readback_release(readback, &ignored);
	/* wait, because a command may still use the buffers */
	apsp_opencl_finish(readback->device->queue);
	apsp_device_pinned_done(
		readback->device, &readback->pinned, &readback->bytes);
	apsp_device_buffer_done(&readback->on_device);
	memset(readback, 0, sizeof(*readback));
}

int apsp_readback_fetch(struct apsp_readback *readback, size_t size,
	cl_map_flags flags, cl_event *out_event, struct apsp_err *err)
{
	cl_command_queue queue = readback->device->queue;
	cl_int status = CL_SUCCESS;

	if (!readback->pinned)
		readback->bytes = clEnqueueMapBuffer(queue, readback->on_device,
			CL_FALSE, flags, 0, size, 0, NULL, out_event, &status);
	else if (flags & CL_MAP_READ)
		status = clEnqueueReadBuffer(queue, readback->on_device,
			CL_FALSE, 0, size, readback->bytes, 0, NULL, out_event);
	else if (out_event)
		status = clEnqueueMarkerWithWaitList(queue, 0, NULL, out_event);
	return apsp_opencl_check(status, "read a device buffer", err);
}

int apsp_readback_release(struct apsp_readback *readback, struct apsp_err *err)
{
	void *bytes = readback->bytes;

	if (readback->pinned || !bytes)
		return 0;
	readback->bytes = NULL;
	return apsp_opencl_check(
		clEnqueueUnmapMemObject(readback->device->queue,
			readback->on_device, bytes, 0, NULL, NULL),
		"unmap a device buffer", err);
}

int apsp_readback_store(
	struct apsp_readback *readback, size_t size, struct apsp_err *err)
{
	if (!readback->pinned)
		return apsp_readback_release(readback, err);
	return apsp_opencl_check(clEnqueueWriteBuffer(readback->device->queue,
					 readback->on_device, CL_FALSE, 0, size,
					 readback->bytes, 0, NULL, NULL),
		"write a device buffer", err);
}
