/*
 * For LD_PRELOAD: an OpenCL driver, or a disk, that changes one byte in the
 * calls that driver_faults.h names.
 */
#include <CL/cl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/driver_faults.h"
#include "tests/next_call.h"

enum {
	ARGS = 32,
	KERNELS = 64,
	BUFFERS = 4096,
	MAPS = 256,
	FEW_BYTES = 4096,
	LINE_BYTES = 64,
	PLACES = 64,
};

/* What a clEnqueueReadBuffer reads. */
struct read_place {
	cl_mem buffer; /* NULL: none */
	size_t offset;
	size_t size;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
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
static struct {
	cl_mem buffer; /* NULL: no word is stuck */
	size_t offset;
	uint32_t word;
} stuck;
static bool reads_are_stale;
static struct {
	struct read_place place;
	unsigned char bytes[FEW_BYTES];
} first_reads[PLACES];
static struct read_place set_place;
static long set_n;

/* No call of an earlier solve is under way. */
void corrupting_driver_next(void);
void corrupting_driver_next(void)
{
	driver_faults_next();
	pthread_mutex_lock(&lock);
	memset(&stuck, 0, sizeof(stuck));
	reads_are_stale = false;
	memset(first_reads, 0, sizeof(first_reads));
	memset(&set_place, 0, sizeof(set_place));
	pthread_mutex_unlock(&lock);
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
	offset += driver_faults_place(n, size);
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

static bool is_place(const struct read_place *a, const struct read_place *b)
{
	return a->buffer == b->buffer && a->offset == b->offset &&
	       a->size == b->size;
}

/* Keep what the first read of a place gave, or give that again. */
static void stale_give(const struct read_place *from, void *out)
{
	int p = 0;

	while (p < PLACES && first_reads[p].place.buffer &&
		!is_place(&first_reads[p].place, from))
		p++;
	if (from->size > FEW_BYTES || p == PLACES)
		return;
	if (first_reads[p].place.buffer) {
		memcpy(out, first_reads[p].bytes, from->size);
		return;
	}
	first_reads[p].place = *from;
	memcpy(first_reads[p].bytes, out, from->size);
}

/* Set the bit of the place that has one. */
static void bit_set(const struct read_place *from, void *out)
{
	if (from->size > 0 && is_place(&set_place, from))
		((unsigned char *)out)[from->size - 1] |= 1 << set_n % 7;
}

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer,
	cl_bool blocking, size_t offset, size_t size, void *out,
	cl_uint n_events, const cl_event *events, cl_event *event)
{
	cl_int (*call)(cl_command_queue, cl_mem, cl_bool, size_t, size_t,
		void *, cl_uint, const cl_event *, cl_event *);
	cl_int status;
	const struct read_place from = {buffer, offset, size};
	bool hit, stale, set = false;
	long n;

	NEXT(call, "clEnqueueReadBuffer");
	driver_faults_count(FAULT_STALE, &n, &stale);
	reads_are_stale = reads_are_stale || stale;
	if (size <= LINE_BYTES)
		driver_faults_count(FAULT_SET, &n, &set);
	if (set) {
		set_place = from;
		set_n = n;
	}
	driver_faults_count(FAULT_READ, &n, &hit);
	if (hit || reads_are_stale || set_place.buffer)
		blocking = CL_TRUE;
	status = call(queue, buffer, blocking, offset, size, out, n_events,
		events, event);
	if (hit)
		driver_faults_flip(out, size, n);
	if (reads_are_stale)
		stale_give(&from, out);
	bit_set(&from, out);
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
	driver_faults_count(FAULT_READ, &n, &hit);
	status = call(queue, buffer, hit ? CL_TRUE : blocking, origin,
		host_origin, region, row, slice, host_row, host_slice, out,
		n_events, events, event);
	if (hit)
		driver_faults_flip(out, region[0] * region[1], n);
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
	driver_faults_count(FAULT_WRITE, &n, &hit);
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
	driver_faults_count(FAULT_COPY, &n, &hit);
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
		driver_faults_count(FAULT_MAP, &n, &hit);
	bytes = call(queue, buffer, hit ? CL_TRUE : blocking, flags, offset,
		size, n_events, events, event, status);
	if (hit && bytes)
		driver_faults_flip(bytes, size, n);
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
		driver_faults_count(FAULT_UNMAP, &n, &hit);
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
		driver_faults_count(FAULT_MAKE, &n, &hit);
	if (hit) {
		changed = malloc(size);
		if (!changed)
			abort();
		memcpy(changed, data, size);
		driver_faults_flip(changed, size, n);
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
	if (stuck.buffer == buffer)
		stuck.buffer = NULL;
	for (int p = 0; p < PLACES; p++) /* a new one may have its address */
		if (first_reads[p].place.buffer == buffer)
			first_reads[p].place.size = 0;
	if (set_place.buffer == buffer)
		set_place.buffer = NULL;
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
		found = given[driver_faults_place(n, n_given)];
	pthread_mutex_unlock(&lock);
	return found;
}

/* The words of some buffers. */
struct words {
	cl_mem buffers[ARGS];
	uint32_t *words[ARGS];
	size_t n[ARGS]; /* words of each */
	size_t n_buffers;
};

/* Read the buffers that a kernel was given. */
static void words_read(
	cl_command_queue queue, cl_kernel kernel, struct words *out)
{
	cl_int (*read)(cl_command_queue, cl_mem, cl_bool, size_t, size_t,
		void *, cl_uint, const cl_event *, cl_event *);

	NEXT(read, "clEnqueueReadBuffer");
	out->n_buffers = 0;
	for (int k = 0; k < KERNELS; k++)
		for (int a = 0; kernels[k].kernel == kernel && a < ARGS; a++)
			if (kernels[k].args[a])
				out->buffers[out->n_buffers++] =
					kernels[k].args[a];
	for (size_t b = 0; b < out->n_buffers; b++) {
		size_t size = buffer_size(out->buffers[b]);

		out->n[b] = size / sizeof(uint32_t);
		out->words[b] = malloc(size + 1);
		if (!out->words[b])
			abort();
		read(queue, out->buffers[b], CL_TRUE, 0, size, out->words[b], 0,
			NULL, NULL);
	}
}

static void words_done(struct words *words)
{
	for (size_t b = 0; b < words->n_buffers; b++)
		free(words->words[b]);
}

/* Choose the word that is stuck from now on: the one of those that differ. */
static void word_stick(
	const struct words *before, const struct words *after, long n)
{
	size_t differ = 0, chosen;

	for (size_t b = 0; b < before->n_buffers; b++)
		for (size_t w = 0; w < before->n[b]; w++)
			differ += before->words[b][w] != after->words[b][w];
	if (differ == 0)
		return;
	chosen = driver_faults_place(n, differ);
	for (size_t b = 0; b < before->n_buffers; b++)
		for (size_t w = 0; w < before->n[b]; w++)
			if (before->words[b][w] != after->words[b][w] &&
				chosen-- == 0) {
				stuck.buffer = before->buffers[b];
				stuck.offset = w * sizeof(uint32_t);
				stuck.word = before->words[b][w];
			}
}

/* What a kernel stored in the stuck word is lost. */
static void stuck_restore(cl_command_queue queue)
{
	cl_int (*write)(cl_command_queue, cl_mem, cl_bool, size_t, size_t,
		const void *, cl_uint, const cl_event *, cl_event *);

	NEXT(write, "clEnqueueWriteBuffer");
	clFinish(queue);
	write(queue, stuck.buffer, CL_TRUE, stuck.offset, sizeof(stuck.word),
		&stuck.word, 0, NULL, NULL);
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel,
	cl_uint dimensions, const size_t *offset, const size_t *global,
	const size_t *local, cl_uint n_events, const cl_event *events,
	cl_event *event)
{
	cl_int (*call)(cl_command_queue, cl_kernel, cl_uint, const size_t *,
		const size_t *, const size_t *, cl_uint, const cl_event *,
		cl_event *);
	struct words before, after;
	bool hit, sticks;
	cl_int status;
	cl_mem buffer;
	long n;

	NEXT(call, "clEnqueueNDRangeKernel");
	driver_faults_count(FAULT_STUCK, &n, &sticks);
	driver_faults_count(FAULT_KERNEL, &n, &hit);
	if (sticks)
		words_read(queue, kernel, &before);
	status = call(queue, kernel, dimensions, offset, global, local,
		n_events, events, event);
	if (sticks) {
		words_read(queue, kernel, &after);
		word_stick(&before, &after, n);
		words_done(&before);
		words_done(&after);
	}
	if (stuck.buffer)
		stuck_restore(queue);
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
		driver_faults_count(FAULT_PWRITE, &n, &hit);
	if (!hit)
		return call(fd, data, size, offset);
	changed = malloc(size);
	if (!changed)
		abort();
	memcpy(changed, data, size);
	driver_faults_flip(changed, size, n);
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
		driver_faults_count(FAULT_MAPPED, &n, &hit);
	if (hit)
		driver_faults_flip(to, size, n);
	return to;
}
