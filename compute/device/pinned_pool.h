/*
 * Keeps the pinned buffers of a job for the next job, because it takes long to
 * make and release pinned buffers. In a job with the graph `larva` on an H200,
 * making and releasing the buffers of a download takes a sixth of the job's
 * time. A pool belongs to one device, and only the thread that uses the device
 * may use the pool.
 */
#ifndef APSP_COMPUTE_DEVICE_PINNED_POOL_H
#define APSP_COMPUTE_DEVICE_PINNED_POOL_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compute/plan/held_memory.h"

struct apsp_pinned_pool;

/* A pinned buffer. It stays mapped at the address `bytes`. */
struct apsp_pinned {
	cl_mem buffer;
	void *bytes;
	size_t size;
};

/*
 * Make a pool. Its buffers take at most `most_bytes` in all, and no more than a
 * small share of the host's free memory. NULL: no memory. Freeing the pool
 * releases its buffers.
 */
struct apsp_pinned_pool *apsp_pinned_pool_new(
	cl_command_queue queue, uint64_t most_bytes);
void apsp_pinned_pool_free(struct apsp_pinned_pool *pool);

/*
 * Remove the smallest buffer of at least `size` bytes from the pool; the caller
 * then owns it. The buffer may be much larger than `size`. False: the pool has
 * no such buffer, or `pool` is NULL.
 */
bool apsp_pinned_pool_take(
	struct apsp_pinned_pool *pool, size_t size, struct apsp_pinned *out);

/* Give a buffer to the pool. All commands that use the buffer must have ended.
   If the pool is full, it releases smaller buffers to make room. False: the
   pool cannot make enough room, and the buffer still belongs to the caller. */
bool apsp_pinned_pool_give(
	struct apsp_pinned_pool *pool, const struct apsp_pinned *pinned);

/*
 * Measure the host memory that this process holds now. *out gets the size of
 * each buffer in the pool, and the number of bytes that the process holds
 * outside the pool. `pool` may be NULL. The function assumes that
 * apsp_host_room_held() counts pinned memory. This is true for NVIDIA's driver,
 * because its pinned memory is private or shared memory of the process.
 */
void apsp_pinned_pool_held(
	const struct apsp_pinned_pool *pool, struct apsp_held_memory *out);

/* Unmap and release a buffer. */
void apsp_pinned_end(cl_command_queue queue, const struct apsp_pinned *pinned);

#endif
