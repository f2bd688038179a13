/*
 * A buffer of a device that the host reads: through a copy in pinned memory or,
 * where the device's memory is the host's, in place.
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
	cl_mem pinned; /* NULL: the host reads the device's buffer itself */
	void *bytes;   /* the host's side, between fetch and release */
};

/*
 * Make a buffer of size bytes (at least 1), whose content is undefined. The
 * caller ends *out with apsp_readback_done(). Errors as
 * apsp_device_buffer_make().
 */
int apsp_readback_make(const struct apsp_device *device, size_t size,
	struct apsp_readback *out, struct apsp_err *err);

/* Waits for the device's queue. Accepts an empty one and leaves one. */
void apsp_readback_done(struct apsp_readback *readback);

/*
 * Enqueue that the host gets the first size bytes of the buffer: with
 * CL_MAP_READ it may read them, with CL_MAP_WRITE overwrite them, and with
 * CL_MAP_WRITE_INVALIDATE_REGION it finds what it writes itself. Once
 * *out_event, which the caller releases, is complete, they are at
 * readback->bytes, until apsp_readback_release(); no kernel may use the buffer
 * meanwhile. out_event may be NULL: the queue is in order. What the host writes
 * is not for the device. APSP_EDEVICE.
 */
int apsp_readback_fetch(struct apsp_readback *readback, size_t size,
	cl_map_flags flags, cl_event *out_event, struct apsp_err *err);

/* Commands enqueued after this may use the buffer again. APSP_EDEVICE. */
int apsp_readback_release(struct apsp_readback *readback, struct apsp_err *err);

#endif
