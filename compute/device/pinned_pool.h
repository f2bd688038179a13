/*
 * Pinned buffers that one job has left, for the next: to make and to end those
 * of a download takes a sixth of a larva's job on an H200. A pool belongs to
 * one device and its thread.
 */
#ifndef APSP_COMPUTE_DEVICE_PINNED_POOL_H
#define APSP_COMPUTE_DEVICE_PINNED_POOL_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compute/plan/held_memory.h"

struct apsp_pinned_pool;

/* A buffer in pinned memory, mapped at bytes as long as it lives. */
struct apsp_pinned {
	cl_mem buffer;
	void *bytes;
	size_t size;
};

/*
 * A pool that keeps most_bytes at most, and no more than a small share of the
 * host's memory that is left. NULL: there is no memory. Freeing ends all that
 * it keeps.
 */
struct apsp_pinned_pool *apsp_pinned_pool_new(
	cl_command_queue queue, uint64_t most_bytes);
void apsp_pinned_pool_free(struct apsp_pinned_pool *pool);

/*
 * Take the smallest buffer that has size bytes; it may have many more. False:
 * there is none, or pool is NULL.
 */
bool apsp_pinned_pool_take(
	struct apsp_pinned_pool *pool, size_t size, struct apsp_pinned *out);

/*
 * Keep the buffer, which no command uses any more; smaller ones make room for
 * it, if that is enough. False: it is the caller's still, or pool is NULL.
 */
bool apsp_pinned_pool_give(
	struct apsp_pinned_pool *pool, const struct apsp_pinned *pinned);

/*
 * What this process holds on the host now, with what the pool (NULL: there is
 * none) keeps told apart. Pinned memory is expected to count as the process's
 * own or as shared (apsp_host_room_held()), as NVIDIA's driver has it.
 */
void apsp_pinned_pool_held(
	const struct apsp_pinned_pool *pool, struct apsp_held_memory *out);

/* Unmap and release a buffer. */
void apsp_pinned_end(cl_command_queue queue, const struct apsp_pinned *pinned);

#endif
