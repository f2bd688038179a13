/*
 * A buffer of a device that the host can read. If the device uses the host's
 * memory, the host reads the buffer in place. Otherwise the host reads a copy
 * in pinned memory.
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
	/* Copies between the buffer and pinned memory run on this queue. It is
	   the device's queue, unless the caller sets another queue so that
	   copies run in parallel with kernels. Borrowed. */
	cl_command_queue queue;
	/* the data on the host; valid from the end of the transfer that
	   apsp_readback_fetch() enqueues until apsp_readback_release() */
	void *bytes;
};

/*
 * Make a buffer of `size` bytes, or of 1 byte if `size` is 0. Its contents are
 * undefined. The caller ends *out with apsp_readback_done(). Errors as
 * apsp_device_buffer_make().
 */
int apsp_readback_make(const struct apsp_device *device, size_t size,
	struct apsp_readback *out, struct apsp_err *err);

/*
 * Wait for all commands of the device's queue, then release the buffer. If
 * *readback is all zeros, this function does nothing. Afterwards *readback is
 * all zeros.
 */
void apsp_readback_done(struct apsp_readback *readback);

/*
 * Enqueue a transfer of the first `size` bytes of the buffer to
 * readback->bytes, after all earlier commands of the device's queue. `flags`
 * says what the host will do with these bytes. CL_MAP_READ: it reads them;
 * CL_MAP_READ | CL_MAP_WRITE: it also overwrites some of them;
 * CL_MAP_WRITE_INVALIDATE_REGION: it overwrites all of them, so the old
 * contents are not copied.
 *
 * *out_event completes when the bytes are valid; the caller releases the event.
 * `out_event` may be NULL if the caller waits for a later command of
 * readback->queue, because a queue runs commands in order.
 *
 * The bytes stay valid until apsp_readback_release() is called. Before that, no
 * kernel is allowed to use the buffer. APSP_EDEVICE.
 */
int apsp_readback_fetch(struct apsp_readback *readback, size_t size,
	cl_map_flags flags, cl_event *out_event, struct apsp_err *err);

/* End the host's use of the bytes. If the host has changed bytes, all of them
   must be among the first `written` bytes; `written` is 0 if the host has
   changed nothing. Later commands of the device's queue see the new bytes, and
   may use the buffer again. APSP_EDEVICE. */
int apsp_readback_release(
	struct apsp_readback *readback, size_t written, struct apsp_err *err);

#endif
