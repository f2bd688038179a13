/*
 * Making, filling and checking buffers; see device_buffer.h.
 */
#include "compute/device/device_buffer.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "compute/device/opencl.h"
#include "compute/device/pinned_pool.h"
#include "daemon/base/auto.h"
#include "daemon/base/checksum.h"
#include "daemon/base/size.h"
#include "daemon/job/table_file.h"

enum {
	HUGE_PAGE = 2 << 20, /* bytes */
	PIECE = 1 << 20, /* a checksum is computed over pieces of at most this
			    number of bytes, so that only one piece at a time is
			    read back */
};

static int size_check(
	const struct apsp_device *device, size_t size, struct apsp_err *err)
{
	char needed[APSP_SIZE_TEXT_SIZE], allowed[APSP_SIZE_TEXT_SIZE];

	if (size <= device->info.largest_buffer_bytes)
		return 0;
	apsp_sizes_format(
		size, device->info.largest_buffer_bytes, needed, allowed);
	return apsp_fail(err, APSP_ELIMIT,
		"a buffer of %s is needed; the device allows %s", needed,
		allowed);
}

static void CL_CALLBACK pages_free(cl_mem buffer, void *pages)
{
	(void)buffer;
	free(pages);
}

/* Allocate host memory, in huge pages if Linux provides them, and make an
   OpenCL buffer of this memory. With small pages, the algorithm `multi-source`
   spends a quarter of its time on page faults and address translation. */
static cl_int host_buffer(
	cl_context context, size_t size, const void *data, cl_mem *out)
{
	void *pages;
	cl_mem buffer;
	cl_int status;

	if (posix_memalign(&pages, HUGE_PAGE, size) != 0)
		return CL_MEM_OBJECT_ALLOCATION_FAILURE;
	madvise(pages, size, MADV_HUGEPAGE);
	if (data)
		memcpy(pages, data, size);
	buffer = clCreateBuffer(context,
		CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, size, pages, &status);
	if (status == CL_SUCCESS)
		status = clSetMemObjectDestructorCallback(
			buffer, pages_free, pages);
	if (status == CL_SUCCESS) {
		*out = buffer;
		return status;
	}
	apsp_device_buffer_done(&buffer);
	free(pages);
	return status;
}

int apsp_device_buffer_make(const struct apsp_device *device, size_t size,
	const void *data, cl_mem *out, struct apsp_err *err)
{
	cl_mem_flags flags = CL_MEM_READ_WRITE;
	cl_int status;
	cl_mem buffer;
	int r = size_check(device, size, err);

	if (r < 0)
		return r;
	if (device->host_memory && size >= HUGE_PAGE)
		return apsp_opencl_check(
			host_buffer(device->context, size, data, out),
			"make a device buffer", err);
	if (data && size > 0)
		flags |= CL_MEM_COPY_HOST_PTR;
	else
		data = NULL;
	buffer = clCreateBuffer(device->context, flags, size > 0 ? size : 1,
		(void *)(uintptr_t)data, &status);
	r = apsp_opencl_check(status, "make a device buffer", err);
	if (r < 0)
		return r;
	*out = buffer;
	return 0;
}

static uint64_t piece_sum(uint64_t before, const void *bytes, size_t size)
{
	return (before << 7 | before >> 57) ^ apsp_checksum(bytes, size);
}

/* Return the checksum of `bytes`, computed in pieces as in buffer_verify(). */
static uint64_t bytes_sum(const void *bytes, size_t size)
{
	const char *at = bytes;
	uint64_t sum = 0;

	for (size_t done = 0; done < size; done += PIECE)
		sum = piece_sum(sum, at + done,
			size - done < PIECE ? size - done : PIECE);
	return sum;
}

/* Read `size` bytes of a buffer back, from `offset` on, and compare their
   checksum with `sum`. */
static int buffer_verify(const struct apsp_device *device, cl_mem buffer,
	size_t offset, size_t size, uint64_t sum, struct apsp_err *err)
{
	APSP_AUTO(apsp_free) void *piece = NULL;
	uint64_t found = 0;
	int r = 0;

	piece = malloc(size < PIECE ? size + 1 : PIECE);
	if (!piece)
		return apsp_fail(
			err, APSP_ENOMEM, "no memory to read a buffer back");
	for (size_t done = 0; r >= 0 && done < size; done += PIECE) {
		size_t n = size - done < PIECE ? size - done : PIECE;

		r = apsp_opencl_read(device->queue, buffer, offset + done, n,
			piece, "read a buffer back", err);
		found = piece_sum(found, piece, n);
	}
	if (r >= 0 && found != sum)
		return apsp_fail(err, APSP_EPROOF,
			"'%s' does not hold what was written to it",
			device->info.name);
	return r;
}

int apsp_device_copy_write(const struct apsp_device *device, cl_mem buffer,
	size_t offset, size_t size, const void *data, struct apsp_err *err)
{
	/* The write need not block. The queue runs commands in order, so the
	   blocking read in buffer_verify() waits for the write. */
	int r = apsp_opencl_check(
		clEnqueueWriteBuffer(device->queue, buffer, CL_FALSE, offset,
			size, data, 0, NULL, NULL),
		"write to a buffer", err);

	if (r >= 0)
		r = buffer_verify(device, buffer, offset, size,
			bytes_sum(data, size), err);
	if (r < 0)
		apsp_opencl_finish(device->queue);
	return r;
}

int apsp_device_copy_make(const struct apsp_device *device, size_t size,
	const void *data, cl_mem *out, struct apsp_err *err)
{
	int r = apsp_device_buffer_make(device, size, data, out, err);

	return r < 0 ? r
		     : buffer_verify(device, *out, 0, size,
			       bytes_sum(data, size), err);
}

int apsp_device_map_open(const struct apsp_device *device, size_t size,
	cl_mem *out_buffer, struct apsp_device_map *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_device_buffer_done) cl_mem buffer = NULL;
	struct apsp_pinned idle = {0};
	cl_int status;
	int r = apsp_device_buffer_make(device, size, NULL, &buffer, err);

	if (r >= 0 && (size == 0 || !apsp_pinned_pool_take(
					    device->pinned, size, &idle))) {
		idle.bytes = clEnqueueMapBuffer(device->queue, buffer, CL_TRUE,
			CL_MAP_WRITE_INVALIDATE_REGION, 0, size > 0 ? size : 1,
			0, NULL, NULL, &status);
		r = apsp_opencl_check(status, "map a device buffer", err);
	}
	if (r < 0)
		return r;
	*out = (struct apsp_device_map){
		device, buffer, size, idle.bytes, idle.buffer};
	*out_buffer = APSP_TAKE(buffer);
	return 0;
}

int apsp_device_map_close(
	struct apsp_device_map *map, bool check, struct apsp_err *err)
{
	void *bytes = map->bytes;
	cl_command_queue queue;
	uint64_t sum;
	int r;

	if (!bytes)
		return 0;
	queue = map->device->queue;
	sum = check ? bytes_sum(bytes, map->size) : 0;
	map->bytes = NULL;
	r = apsp_opencl_check(
		map->pinned ? clEnqueueWriteBuffer(queue, map->buffer, CL_FALSE,
				      0, map->size, bytes, 0, NULL, NULL)
			    : clEnqueueUnmapMemObject(
				      queue, map->buffer, bytes, 0, NULL, NULL),
		"write a device buffer", err);
	if (r >= 0 && check)
		r = buffer_verify(
			map->device, map->buffer, 0, map->size, sum, err);
	else if (r >= 0 && map->pinned)
		r = apsp_opencl_check(apsp_opencl_finish(queue),
			"write a device buffer", err);
	apsp_device_pinned_done(map->device, &map->pinned, &bytes);
	return r;
}

void apsp_device_map_done(struct apsp_device_map *map)
{
	struct apsp_err ignored;

	apsp_device_map_close(map, false, &ignored);
}

static int pinned_make(const struct apsp_device *device, size_t size,
	struct apsp_pinned *out, struct apsp_err *err)
{
	struct apsp_pinned made = {.size = size > 0 ? size : 1};
	cl_int status;
	int r;

	made.buffer = clCreateBuffer(device->context,
		CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, made.size, NULL,
		&status);
	r = apsp_opencl_check(status, "make a pinned buffer", err);
	if (r < 0)
		return r;
	made.bytes = clEnqueueMapBuffer(device->queue, made.buffer, CL_TRUE,
		CL_MAP_READ | CL_MAP_WRITE, 0, made.size, 0, NULL, NULL,
		&status);
	r = apsp_opencl_check(status, "map a pinned buffer", err);
	if (r < 0)
		clReleaseMemObject(made.buffer);
	else
		*out = made;
	return r;
}

int apsp_device_pinned_make(const struct apsp_device *device, size_t size,
	cl_mem *out, void **out_bytes, struct apsp_err *err)
{
	struct apsp_pinned made;
	int r = size_check(device, size, err);

	if (r >= 0 && !apsp_pinned_pool_take(device->pinned, size, &made))
		r = pinned_make(device, size, &made, err);
	if (r < 0)
		return r;
	*out = made.buffer;
	*out_bytes = made.bytes;
	return 0;
}

void apsp_device_pinned_done(
	const struct apsp_device *device, cl_mem *buffer, void **bytes)
{
	struct apsp_pinned pinned = {.buffer = *buffer, .bytes = *bytes};

	if (!pinned.buffer)
		return;
	apsp_opencl_finish(device->queue);
	if (clGetMemObjectInfo(pinned.buffer, CL_MEM_SIZE, sizeof(pinned.size),
		    &pinned.size, NULL) != CL_SUCCESS ||
		!apsp_pinned_pool_give(device->pinned, &pinned))
		apsp_pinned_end(device->queue, &pinned);
	*buffer = NULL;
	*bytes = NULL;
}

void apsp_device_buffer_done(cl_mem *buffer)
{
	if (*buffer)
		clReleaseMemObject(*buffer);
	*buffer = NULL;
}
