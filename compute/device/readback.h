/*
 * A buffer of a device that the host reads: through a copy in pinned memory or,
 * if the device uses the host's memory, in place.
 */
#ifndef APSP_COMPUTE_DEVICE_READBACK_H
#define APSP_COMPUTE_DEVICE_READBACK_H

#include <CL/cl.h>
#include <stddef.h>

#include "compute/device/device.h"
#include "daemon/base/err.h"

struct apsp_readback {
	const struct apsp_device *device; /* borrowed */
	cl_mem on_device;
	cl_mem pinned; /* NULL: the host reads the device's buffer in place */
	void *bytes; /* the data on the host, valid between fetch and release */
};

/*
 * Make a buffer of `size` bytes, or of 1 byte if `size` is 0. Its contents are
 * undefined. The caller ends *out with apsp_readback_done(). Errors as
 * apsp_device_buffer_make().
 */
int apsp_readback_make(const struct apsp_device *device, size_t size,
	struct apsp_readback *out, struct apsp_err *err);

/* Wait for all commands of the device's queue, then release the buffer. Accepts
   an empty readback, and leaves an empty one. */
void apsp_readback_done(struct apsp_readback *readback);

/*
 * Enqueue a transfer of the first `size` bytes of the buffer to
 * readback->bytes. `flags` says what the host will do with these bytes:
 * CL_MAP_READ to read them, CL_MAP_WRITE to overwrite them,
 * CL_MAP_WRITE_INVALIDATE_REGION to write without needing the old contents. The
 * bytes are valid from the completion of *out_event, which the caller releases,
 * until apsp_readback_release(); no kernel may use the buffer in between.
 * `out_event` may be NULL, because the queue is in order. Values that the host
 * writes do not reach the device. APSP_EDEVICE.
 */
int apsp_readback_fetch(struct apsp_readback *readback, size_t size,
	cl_map_flags flags, cl_event *out_event, struct apsp_err *err);

/* End the use by the host; commands enqueued later may use the buffer again.
   APSP_EDEVICE. */
int apsp_readback_release(struct apsp_readback *readback, struct apsp_err *err);

#endif
