/*
 * Buffers in the memory of a device, and in host memory that a device accesses.
 */
#ifndef APSP_COMPUTE_DEVICE_DEVICE_BUFFER_H
#define APSP_COMPUTE_DEVICE_DEVICE_BUFFER_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compute/device/device.h"
#include "daemon/base/err.h"

/*
 * Make a buffer of `size` bytes, or of 1 byte if `size` is 0. If `data` is not
 * NULL, copy `size` bytes from `data` to the buffer. The caller ends *out with
 * apsp_device_buffer_done(). APSP_ELIMIT: `size` is more than the device
 * allows, or the device's memory is full; APSP_EDEVICE.
 */
int apsp_device_buffer_make(const struct apsp_device *device, size_t size,
	const void *data, cl_mem *out, struct apsp_err *err);
void apsp_device_buffer_done(cl_mem *buffer); /* *buffer may be NULL */

/*
 * Make a buffer that holds `data`, and read the buffer back to check it. Use
 * this function for indices, because a wrong index makes a kernel access memory
 * outside its buffers. Use it also for other data if no later check would find
 * a wrong value. Blocks. APSP_EPROOF: the buffer does not hold `data`;
 * APSP_ENOMEM; errors as apsp_device_buffer_make().
 */
int apsp_device_copy_make(const struct apsp_device *device, size_t size,
	const void *data, cl_mem *out, struct apsp_err *err);

/* Write `data` into `size` bytes of a buffer from `offset` on, and read these
   bytes back to check them. Blocks. Errors as apsp_device_copy_make(). */
int apsp_device_copy_write(const struct apsp_device *device, cl_mem buffer,
	size_t offset, size_t size, const void *data, struct apsp_err *err);

/* Host memory into which the host writes the new contents of a device buffer.
   The host must write all `size` bytes. */
struct apsp_device_map {
	const struct apsp_device *device; /* borrowed */
	cl_mem buffer;			  /* borrowed */
	size_t size;			  /* number of bytes */
	void *bytes;			  /* NULL: nothing is mapped */
	/* the pinned buffer that is mapped at `bytes`; owned; NULL: `bytes` is
	   the mapped memory of `buffer` */
	cl_mem pinned;
};

/*
 * Make a buffer as apsp_device_buffer_make() does, and memory in which the host
 * can write the buffer's contents. If the pool has a pinned buffer that is
 * large enough (pinned_pool.h), this memory is the pinned buffer, and
 * apsp_device_map_close() copies it to the device. Otherwise the device's
 * buffer is mapped. Such a mapping is slow, because the driver pins memory for
 * it: 4 ms for 8 MB on an H200. The device's buffer must outlive *out. The
 * caller ends *out with apsp_device_map_close(), or with
 * apsp_device_map_done(), which ignores errors. Errors as
 * apsp_device_buffer_make().
 */
int apsp_device_map_open(const struct apsp_device *device, size_t size,
	cl_mem *out_buffer, struct apsp_device_map *out, struct apsp_err *err);

/* End the mapping. Commands that are enqueued later see the bytes that the host
   wrote. If `check` is true, read the buffer back to check it. The errors are
   then those of apsp_device_copy_make(). If `check` is false, the only error is
   APSP_EDEVICE. */
int apsp_device_map_close(
	struct apsp_device_map *map, bool check, struct apsp_err *err);
void apsp_device_map_done(struct apsp_device_map *map);

/*
 * Make a buffer of at least `size` bytes in host memory. The buffer stays
 * mapped at *out_bytes. If possible, a buffer of an earlier job is used again,
 * with its old contents (pinned_pool.h). If the device has memory of its own,
 * the buffer is pinned, so that transfers run at full speed and in parallel
 * with kernels. The caller ends *out with apsp_device_pinned_done(). Errors as
 * apsp_device_buffer_make().
 */
int apsp_device_pinned_make(const struct apsp_device *device, size_t size,
	cl_mem *out, void **out_bytes, struct apsp_err *err);

/*
 * Wait for all commands of the device's queue. Then give the buffer to the pool
 * (pinned_pool.h), which keeps it for the next job. If the pool cannot keep the
 * buffer, release it. *buffer may be NULL; then this function does nothing.
 * Afterwards *buffer and *bytes are NULL.
 */
void apsp_device_pinned_done(
	const struct apsp_device *device, cl_mem *buffer, void **bytes);

#endif
