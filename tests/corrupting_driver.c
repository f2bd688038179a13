/*
 * For LD_PRELOAD: an OpenCL driver, or a disk, that changes one byte. In
 * APSP_FAULTS is what to change in each solve of the process, as
 * "KIND N;KIND N;…": KIND is one of those below, and N counts its calls from 0
 * since corrupting_driver_next(), which begins the next solve. In
 * APSP_FAULT_COUNTS is a file that gets a line "KIND CALLS" each when the
 * process ends, of its last solve.
 *
 *	read     what the n-th clEnqueueReadBuffer or ReadBufferRect gives
 *	write    what the n-th clEnqueueWriteBuffer is given
 *	copy     what the n-th clEnqueueCopyBuffer has copied
 *	map      what the n-th mapping gives that is read
 *	unmap    what was written through the n-th mapping that is not
 *	make     what the n-th buffer made from data holds
 *	kernel   a buffer that the n-th launched kernel was given, afterwards
 *	pwrite   what the n-th pwrite() of 64 bytes or more writes
 *	mapped   what the n-th memcpy() of 64 bytes or more puts into a file
 *
 * The byte is one that depends on N, and so is the kernel's buffer.
 */
#include <CL/cl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/next_call.h"

enum kind {
	READ,
	WRITE,
	COPY,
	MAP,
	UNMAP,
	MAKE,
	KERNEL,
	PWRITE,
	MAPPED,
	N_KINDS
};

enum {
	ARGS = 32,
	KERNELS = 64,
	BUFFERS = 4096,
	MAPS = 256,
};

static const char *const names[N_KINDS] = {"read", "write", "copy", "map",
	"unmap", "make", "kernel", "pwrite", "mapped"};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long calls[N_KINDS];
static const char *fault;  /* of this solve, within faults */
static const char *faults; /* of the solves to come */
static struct {
	cl_kernel kernel;
	cl_mem args[ARGS];
} kernels[KERNELS];
static cl_mem buffers[BUFFERS];
static size_t n_buffers;
static struct {
	void *bytes;
	size_t size;
} maps[MAPS];

/* No call of an earlier solve is under way. */
void corrupting_driver_next(void);
void corrupting_driver_next(void)
{
	pthread_mutex_lock(&lock);
	if (!faults)
		faults = getenv("APSP_FAULTS");
	fault = faults;
	if (faults)
		faults += strcspn(faults, ";");
	if (faults && *faults)
		faults++;
	memset(calls, 0, sizeof(calls));
	pthread_mutex_unlock(&lock);
}

static void count_up(enum kind kind, long *out_n, bool *out_hit)
{
	size_t size = strlen(names[kind]);

	pthread_mutex_lock(&lock);
	*out_n = calls[kind]++;
	*out_hit = fault && strncmp(fault, names[kind], size) == 0 &&
		   fault[size] == ' ' &&
		   strtol(fault + size, NULL, 10) == *out_n;
	pthread_mutex_unlock(&lock);
}

/* A place in size bytes. */
static size_t place(long n, size_t size)
{
	uint64_t x = (uint64_t)(n + 1) * UINT64_C(0x9e3779b97f4a7c15);

	return (size_t)((x ^ x >> 29) % size);
}

static void flip(void *bytes, size_t size, long n)
{
	if (size > 0)
		((unsigned char *)bytes)[place(n, size)] ^= 1 << n % 7;
}

/* Change a byte of a buffer once all work on the queue is done. */
static void flip_buffer(cl_command_queue queue, cl_mem buffer, size_t offset,
	size_t size, long n)
{
	cl_int (*read)(cl_command_queue, cl_mem, cl_bool, size_t, size_t,
		void *, cl_uint, const cl_event *, cl_event *);
	cl_int (*write)(cl_command_queue, cl_mem, cl_bool, size_t, size_t,
		const void *, cl_uint, const cl_event *, cl_event *);
	unsigned char byte;

	NEXT(read, "clEnqueueReadBuffer");
	NEXT(write, "clEnqueueWriteBuffer");
	if (size == 0)
		return;
	clFinish(queue);
	offset += place(n, size);
	if (read(queue, buffer, CL_TRUE, offset, 1, &byte, 0, NULL, NULL) !=
		CL_SUCCESS)
		return;
	byte ^= (unsigned char)(1 << n % 7);
	write(queue, buffer, CL_TRUE, offset, 1, &byte, 0, NULL, NULL);
}

static size_t buffer_size(cl_mem buffer)
{
	size_t size = 0;

	clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof(size), &size, NULL);
	return size;
}

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer,
	cl_bool blocking, size_t offset, size_t size, void *out,
	cl_uint n_events, const cl_event *events, cl_event *event)
{
	cl_int (*call)(cl_command_queue, cl_mem, cl_bool, size_t, size_t,
		void *, cl_uint, const cl_event *, cl_event *);
	cl_int status;
	bool hit;
	long n;

	NEXT(call, "clEnqueueReadBuffer");
	count_up(READ, &n, &hit);
	status = call(queue, buffer, hit ? CL_TRUE : blocking, offset, size,
		out, n_events, events, event);
	if (hit)
		flip(out, size, n);
	return status;
}

cl_int clEnqueueReadBufferRect(cl_command_queue queue, cl_mem buffer,
	cl_bool blocking, const size_t *origin, const size_t *host_origin,
	const size_t *region, size_t row, size_t slice, size_t host_row,
	size_t host_slice, void *out, cl_uint n_events, const cl_event *events,
	cl_event *event)
{
	cl_int (*call)(cl_command_queue, cl_mem, cl_bool, const size_t *,
		const size_t *, const size_t *, size_t, size_t, size_t, size_t,
		void *, cl_uint, const cl_event *, cl_event *);
	cl_int status;
	bool hit;
	long n;

	NEXT(call, "clEnqueueReadBufferRect");
	count_up(READ, &n, &hit);
	status = call(queue, buffer, hit ? CL_TRUE : blocking, origin,
		host_origin, region, row, slice, host_row, host_slice, out,
		n_events, events, event);
	if (hit)
		flip(out, region[0] * region[1], n);
	return status;
}

cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer,
	cl_bool blocking, size_t offset, size_t size, const void *data,
	cl_uint n_events, const cl_event *events, cl_event *event)
{
	cl_int (*call)(cl_command_queue, cl_mem, cl_bool, size_t, size_t,
		const void *, cl_uint, const cl_event *, cl_event *);
	cl_int status;
	bool hit;
	long n;

	NEXT(call, "clEnqueueWriteBuffer");
	count_up(WRITE, &n, &hit);
	status = call(queue, buffer, blocking, offset, size, data, n_events,
		events, event);
	if (hit)
		flip_buffer(queue, buffer, offset, size, n);
	return status;
}

cl_int clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to,
	size_t from_offset, size_t to_offset, size_t size, cl_uint n_events,
	const cl_event *events, cl_event *event)
{
	cl_int (*call)(cl_command_queue, cl_mem, cl_mem, size_t, size_t, size_t,
		cl_uint, const cl_event *, cl_event *);
	cl_int status;
	bool hit;
	long n;

	NEXT(call, "clEnqueueCopyBuffer");
	count_up(COPY, &n, &hit);
	status = call(queue, from, to, from_offset, to_offset, size, n_events,
		events, event);
	if (hit)
		flip_buffer(queue, to, to_offset, size, n);
	return status;
}

void *clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer,
	cl_bool blocking, cl_map_flags flags, size_t offset, size_t size,
	cl_uint n_events, const cl_event *events, cl_event *event,
	cl_int *status)
{
	void *(*call)(cl_command_queue, cl_mem, cl_bool, cl_map_flags, size_t,
		size_t, cl_uint, const cl_event *, cl_event *, cl_int *);
	bool hit = false;
	void *bytes;
	long n = 0;

	NEXT(call, "clEnqueueMapBuffer");
	if (flags & CL_MAP_READ)
		count_up(MAP, &n, &hit);
	bytes = call(queue, buffer, hit ? CL_TRUE : blocking, flags, offset,
		size, n_events, events, event, status);
	if (hit && bytes)
		flip(bytes, size, n);
	pthread_mutex_lock(&lock);
	for (int m = 0; m < MAPS && !(flags & CL_MAP_READ); m++)
		if (!maps[m].bytes) {
			maps[m].bytes = bytes;
			maps[m].size = size;
			break;
		}
	pthread_mutex_unlock(&lock);
	return bytes;
}

cl_int clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem buffer,
	void *bytes, cl_uint n_events, const cl_event *events, cl_event *event)
{
	cl_int (*call)(cl_command_queue, cl_mem, void *, cl_uint,
		const cl_event *, cl_event *);
	size_t size = 0;
	cl_int status;
	bool hit = false;
	long n = 0;

	NEXT(call, "clEnqueueUnmapMemObject");
	pthread_mutex_lock(&lock);
	for (int m = 0; m < MAPS && size == 0; m++)
		if (bytes && maps[m].bytes == bytes) {
			size = maps[m].size;
			maps[m].bytes = NULL;
		}
	pthread_mutex_unlock(&lock);
	if (size > 0)
		count_up(UNMAP, &n, &hit);
	status = call(queue, buffer, bytes, n_events, events, event);
	if (hit)
		flip_buffer(queue, buffer, 0, size, n);
	return status;
}

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size,
	void *data, cl_int *status)
{
	cl_mem (*call)(cl_context, cl_mem_flags, size_t, void *, cl_int *);
	unsigned char *changed = NULL;
	cl_mem buffer;
	bool hit = false;
	long n = 0;

	NEXT(call, "clCreateBuffer");
	if (data && (flags & CL_MEM_COPY_HOST_PTR))
		count_up(MAKE, &n, &hit);
	if (hit) {
		changed = malloc(size);
		if (!changed)
			abort();
		memcpy(changed, data, size);
		flip(changed, size, n);
	}
	buffer = call(context, flags, size, changed ? changed : data, status);
	free(changed);
	pthread_mutex_lock(&lock);
	if (n_buffers < BUFFERS)
		buffers[n_buffers++] = buffer;
	pthread_mutex_unlock(&lock);
	return buffer;
}

cl_int clReleaseMemObject(cl_mem buffer)
{
	cl_int (*call)(cl_mem);

	NEXT(call, "clReleaseMemObject");
	pthread_mutex_lock(&lock);
	for (size_t b = 0; b < n_buffers; b++)
		if (buffers[b] == buffer) {
			buffers[b] = buffers[--n_buffers];
			break;
		}
	for (int k = 0; k < KERNELS; k++)
		for (int a = 0; a < ARGS; a++)
			if (kernels[k].args[a] == buffer)
				kernels[k].args[a] = NULL;
	pthread_mutex_unlock(&lock);
	return call(buffer);
}

cl_int clSetKernelArg(
	cl_kernel kernel, cl_uint at, size_t size, const void *value)
{
	cl_int (*call)(cl_kernel, cl_uint, size_t, const void *);
	cl_mem buffer = NULL, found = NULL;
	int place = -1;

	NEXT(call, "clSetKernelArg");
	if (value && size == sizeof(buffer))
		memcpy(&buffer, value, sizeof(buffer));
	pthread_mutex_lock(&lock);
	for (size_t b = 0; b < n_buffers; b++)
		if (buffers[b] == buffer)
			found = buffer;
	for (int k = 0; k < KERNELS; k++)
		if (kernels[k].kernel == kernel ||
			(place < 0 && !kernels[k].kernel))
			place = k;
	if (place >= 0 && at < ARGS) {
		kernels[place].kernel = kernel;
		kernels[place].args[at] = found;
	}
	pthread_mutex_unlock(&lock);
	return call(kernel, at, size, value);
}

cl_int clReleaseKernel(cl_kernel kernel)
{
	cl_int (*call)(cl_kernel);

	NEXT(call, "clReleaseKernel");
	pthread_mutex_lock(&lock);
	for (int k = 0; k < KERNELS; k++)
		if (kernels[k].kernel == kernel)
			memset(&kernels[k], 0, sizeof(kernels[k]));
	pthread_mutex_unlock(&lock);
	return call(kernel);
}

/* The buffer of a kernel's that launch n is to change. */
static cl_mem kernel_buffer(cl_kernel kernel, long n)
{
	cl_mem given[ARGS], found = NULL;
	size_t n_given = 0;

	pthread_mutex_lock(&lock);
	for (int k = 0; k < KERNELS; k++)
		for (int a = 0; kernels[k].kernel == kernel && a < ARGS; a++)
			if (kernels[k].args[a])
				given[n_given++] = kernels[k].args[a];
	if (n_given > 0)
		found = given[place(n, n_given)];
	pthread_mutex_unlock(&lock);
	return found;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel,
	cl_uint dimensions, const size_t *offset, const size_t *global,
	const size_t *local, cl_uint n_events, const cl_event *events,
	cl_event *event)
{
	cl_int (*call)(cl_command_queue, cl_kernel, cl_uint, const size_t *,
		const size_t *, const size_t *, cl_uint, const cl_event *,
		cl_event *);
	cl_int status;
	cl_mem buffer;
	bool hit;
	long n;

	NEXT(call, "clEnqueueNDRangeKernel");
	count_up(KERNEL, &n, &hit);
	status = call(queue, kernel, dimensions, offset, global, local,
		n_events, events, event);
	buffer = hit ? kernel_buffer(kernel, n) : NULL;
	if (buffer)
		flip_buffer(queue, buffer, 0, buffer_size(buffer), n);
	return status;
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t offset)
{
	ssize_t (*call)(int, const void *, size_t, off_t);
	unsigned char *changed;
	ssize_t written;
	bool hit = false;
	long n = 0;

	NEXT(call, "pwrite");
	if (size >= 64)
		count_up(PWRITE, &n, &hit);
	if (!hit)
		return call(fd, data, size, offset);
	changed = malloc(size);
	if (!changed)
		abort();
	memcpy(changed, data, size);
	flip(changed, size, n);
	written = call(fd, changed, size, offset);
	free(changed);
	return written;
}

/* The file that was mapped last to be written. */
static atomic_uintptr_t file_begin;
static atomic_uintptr_t file_end;

void *mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset)
{
	void *(*call)(void *, size_t, int, int, int, off_t);
	void *bytes;

	NEXT(call, "mmap");
	bytes = call(at, size, prot, flags, fd, offset);
	if (bytes != MAP_FAILED && fd >= 0 && (flags & MAP_SHARED) &&
		(prot & PROT_WRITE)) {
		atomic_store(&file_end, 0);
		atomic_store(&file_begin, (uintptr_t)bytes);
		atomic_store(&file_end, (uintptr_t)bytes + size);
	}
	return bytes;
}

int munmap(void *at, size_t size)
{
	int (*call)(void *, size_t);

	NEXT(call, "munmap");
	if ((uintptr_t)at == atomic_load(&file_begin))
		atomic_store(&file_end, 0);
	return call(at, size);
}

/* Without `restrict`, for which a compiler would make memmove() this again. */
void *memcpy(void *to, const void *from, size_t size)
{
	bool hit = false;
	long n = 0;

	memmove(to, from, size);
	if (size >= 64 && (uintptr_t)to < atomic_load(&file_end) &&
		(uintptr_t)to >= atomic_load(&file_begin))
		count_up(MAPPED, &n, &hit);
	if (hit)
		flip(to, size, n);
	return to;
}

__attribute__((destructor)) static void counts_tell(void)
{
	const char *path = getenv("APSP_FAULT_COUNTS");
	FILE *file = path ? fopen(path, "we") : NULL;

	if (!file)
		return;
	for (int k = 0; k < N_KINDS; k++)
		fprintf(file, "%s %ld\n", names[k], calls[k]);
	fclose(file);
}
