/*
 * For LD_PRELOAD: faults of one process of a group, which has the rank
 * APSP_FAULTY_RANK (Open MPI). The variable APSP_FAULT names the fault:
 *
 *	launch N	kernel N is not launched (N from 0)
 *	log		log() rounds otherwise
 *	full N		the disk has room for N calls of pwrite()
 *	rect N		read N of a rectangle has a wrong bit in its second row
 *	graph PATH	the file `graph` has the bytes of the file at PATH,
 *			as on a host whose cache has an old file
 *	array N		the array to which realloc() has given N bytes has a
 *			wrong bit before the first kernel is launched
 */
#include <CL/cl.h>
#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/next_call.h"

enum {
	LARGE = 10000,
};

static atomic_long n_launches, n_writes, n_rects;
static _Atomic(uint32_t *) array;

/* Whether this process has the fault; *out_n is the fault's number. */
static bool has_fault(const char *name, long *out_n)
{
	const char *rank = getenv("OMPI_COMM_WORLD_RANK");
	const char *faulty = getenv("APSP_FAULTY_RANK");
	const char *fault = getenv("APSP_FAULT");
	size_t size = strlen(name);

	if (!rank || !faulty || !fault || strcmp(rank, faulty) != 0 ||
		strncmp(fault, name, size) != 0)
		return false;
	*out_n = atol(fault + size);
	return true;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel,
	cl_uint dimensions, const size_t *offset, const size_t *global,
	const size_t *group, cl_uint n_wait, const cl_event *wait,
	cl_event *event)
{
	cl_int (*call)(cl_command_queue, cl_kernel, cl_uint, const size_t *,
		const size_t *, const size_t *, cl_uint, const cl_event *,
		cl_event *);
	uint32_t *words = atomic_exchange(&array, NULL);
	long n;

	if (words)
		words[41] ^= 1 << 20;
	if (has_fault("launch", &n) && atomic_fetch_add(&n_launches, 1) == n)
		return CL_INVALID_COMMAND_QUEUE;
	NEXT(call, "clEnqueueNDRangeKernel");
	return call(queue, kernel, dimensions, offset, global, group, n_wait,
		wait, event);
}

cl_int clEnqueueReadBufferRect(cl_command_queue queue, cl_mem buffer,
	cl_bool blocking, const size_t *origin, const size_t *host_origin,
	const size_t *region, size_t row, size_t slice, size_t host_row,
	size_t host_slice, void *out, cl_uint n_wait, const cl_event *wait,
	cl_event *event)
{
	cl_int (*call)(cl_command_queue, cl_mem, cl_bool, const size_t *,
		const size_t *, const size_t *, size_t, size_t, size_t, size_t,
		void *, cl_uint, const cl_event *, cl_event *);
	cl_int status;
	long n;

	NEXT(call, "clEnqueueReadBufferRect");
	status = call(queue, buffer, blocking, origin, host_origin, region, row,
		slice, host_row, host_slice, out, n_wait, wait, event);
	if (has_fault("rect", &n) && atomic_fetch_add(&n_rects, 1) == n)
		((unsigned char *)out)[host_row] ^= 1;
	return status;
}

double log(double x);
double log(double x)
{
	double (*call)(double), result;
	long n;

	NEXT(call, "log");
	result = call(x);
	return has_fault("log", &n) ? result * (1 + DBL_EPSILON) : result;
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset)
{
	ssize_t (*call)(int, const void *, size_t, off64_t);
	long n;

	if (has_fault("full", &n) && atomic_fetch_add(&n_writes, 1) >= n) {
		errno = ENOSPC;
		return -1;
	}
	NEXT(call, "pwrite64");
	return call(fd, data, size, offset);
}

void *realloc(void *old, size_t size)
{
	void *(*call)(void *, size_t), *result;
	long n;

	NEXT(call, "realloc");
	result = call(old, size);
	/* setenv() moves the environment, which has_fault() reads; it is not
	   so large */
	if (size > LARGE && has_fault("array ", &n) && size == (size_t)n)
		atomic_store(&array, result);
	return result;
}

int open64(const char *path, int flags, ...)
{
	int (*call)(const char *, int, ...);
	const char *end = strrchr(path, '/');
	mode_t mode = 0;
	va_list args;
	long n;

	if (flags & O_CREAT) {
		va_start(args, flags);
		mode = va_arg(args, mode_t);
		va_end(args);
	}
	if (end && strcmp(end, "/graph") == 0 && has_fault("graph ", &n))
		path = getenv("APSP_FAULT") + strlen("graph ");
	NEXT(call, "open64");
	return call(path, flags, mode);
}
