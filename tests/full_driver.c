/*
 * For LD_PRELOAD: an OpenCL device of whose memory other programs use the most.
 * Buffers of APSP_DEVICE_FREE bytes together are given, more are refused, but
 * for those in the host's memory; what the device tells of its memory stays as
 * it is.
 */
#include <CL/cl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/next_call.h"

enum {
	BUFFERS = 4096,
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t n_used;
static struct {
	cl_mem buffer; /* NULL: free */
	size_t size;
} buffers[BUFFERS];

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size,
	void *host, cl_int *error)
{
	cl_mem (*make)(cl_context, cl_mem_flags, size_t, void *, cl_int *);
	const char *text = getenv("APSP_DEVICE_FREE");
	size_t n_free = text ? strtoull(text, NULL, 10) : SIZE_MAX;
	cl_mem made = NULL;
	size_t i = 0;

	NEXT(make, "clCreateBuffer");
	if (flags & CL_MEM_ALLOC_HOST_PTR)
		return make(context, flags, size, host, error);
	pthread_mutex_lock(&lock);
	if (n_used + size <= n_free)
		made = make(context, flags, size, host, error);
	else if (error)
		*error = CL_MEM_OBJECT_ALLOCATION_FAILURE;
	while (made && i < BUFFERS && buffers[i].buffer)
		i++;
	if (i == BUFFERS)
		abort();
	if (made) {
		buffers[i].buffer = made;
		buffers[i].size = size;
		n_used += size;
	}
	pthread_mutex_unlock(&lock);
	return made;
}

cl_int clReleaseMemObject(cl_mem buffer)
{
	cl_int (*release)(cl_mem);
	cl_uint n_refs = 0;

	NEXT(release, "clReleaseMemObject");
	pthread_mutex_lock(&lock);
	clGetMemObjectInfo(
		buffer, CL_MEM_REFERENCE_COUNT, sizeof(n_refs), &n_refs, NULL);
	for (size_t i = 0; i < BUFFERS && n_refs == 1; i++) {
		if (buffers[i].buffer != buffer)
			continue;
		n_used -= buffers[i].size;
		buffers[i].buffer = NULL;
	}
	pthread_mutex_unlock(&lock);
	return release(buffer);
}
