/*
 * Keeping pinned buffers between jobs; see pinned_pool.h.
 */
#include "compute/device/pinned_pool.h"

#include <stdlib.h>

#include "compute/device/opencl.h"
#include "compute/plan/host_room.h"

enum {
	PLACES = APSP_HELD_BUFFERS_MAX,
	/* the buffers in a pool take at most 1/64 of the host's free memory */
	ROOM_SHARE = 64,
};

struct apsp_pinned_pool {
	cl_command_queue queue;
	uint64_t most_bytes;
	uint64_t bytes;
	struct apsp_pinned kept[PLACES]; /* sorted, smallest first */
	size_t n;
};

void apsp_pinned_end(cl_command_queue queue, const struct apsp_pinned *pinned)
{
	clEnqueueUnmapMemObject(
		queue, pinned->buffer, pinned->bytes, 0, NULL, NULL);
	apsp_opencl_finish(queue);
	clReleaseMemObject(pinned->buffer);
}

struct apsp_pinned_pool *apsp_pinned_pool_new(
	cl_command_queue queue, uint64_t most_bytes)
{
	struct apsp_pinned_pool *pool = calloc(1, sizeof(*pool));

	if (pool) {
		pool->queue = queue;
		pool->most_bytes = most_bytes;
	}
	return pool;
}

static struct apsp_pinned kept_remove(struct apsp_pinned_pool *pool, size_t i)
{
	struct apsp_pinned pinned = pool->kept[i];

	pool->n--;
	pool->bytes -= pinned.size;
	for (; i < pool->n; i++)
		pool->kept[i] = pool->kept[i + 1];
	return pinned;
}

static void smallest_end(struct apsp_pinned_pool *pool)
{
	struct apsp_pinned pinned = kept_remove(pool, 0);

	apsp_pinned_end(pool->queue, &pinned);
}

void apsp_pinned_pool_free(struct apsp_pinned_pool *pool)
{
	while (pool && pool->n > 0)
		smallest_end(pool);
	free(pool);
}

bool apsp_pinned_pool_take(
	struct apsp_pinned_pool *pool, size_t size, struct apsp_pinned *out)
{
	size_t i = 0;

	while (pool && i < pool->n && pool->kept[i].size < size)
		i++;
	if (!pool || i == pool->n)
		return false;
	*out = kept_remove(pool, i);
	return true;
}

/*
 * Return the number of buffers that the pool must release before it can keep a
 * new buffer of `size` bytes. Together with the new buffer, the pool may hold
 * at most PLACES buffers and at most `most` bytes. The pool releases the
 * smallest buffers first, and only buffers that are smaller than the new one.
 * If this makes too little room, the result is above pool->n.
 */
static size_t leaving(
	const struct apsp_pinned_pool *pool, size_t size, uint64_t most)
{
	uint64_t bytes = pool->bytes + size;
	size_t k = 0;

	while ((pool->n - k == PLACES || bytes > most) && k < pool->n &&
		pool->kept[k].size < size)
		bytes -= pool->kept[k++].size;
	return pool->n - k < PLACES && bytes <= most ? k : pool->n + 1;
}

bool apsp_pinned_pool_give(
	struct apsp_pinned_pool *pool, const struct apsp_pinned *pinned)
{
	uint64_t most, room;
	size_t i, n_leaving;

	if (!pool)
		return false;
	room = apsp_host_room_now() / ROOM_SHARE;
	most = pool->most_bytes < room ? pool->most_bytes : room;
	n_leaving = leaving(pool, pinned->size, most);
	if (n_leaving > pool->n)
		return false;
	while (n_leaving-- > 0)
		smallest_end(pool);
	for (i = pool->n++; i > 0 && pool->kept[i - 1].size > pinned->size; i--)
		pool->kept[i] = pool->kept[i - 1];
	pool->kept[i] = *pinned;
	pool->bytes += pinned->size;
	return true;
}

void apsp_pinned_pool_held(
	const struct apsp_pinned_pool *pool, struct apsp_held_memory *out)
{
	uint64_t all = apsp_host_room_held(), kept;

	*out = (struct apsp_held_memory){.n_buffers = pool ? pool->n : 0};
	for (size_t i = 0; i < out->n_buffers; i++)
		out->buffers[i] = pool->kept[i].size;
	kept = apsp_held_memory_kept(out);
	out->own_bytes = all > kept ? all - kept : 0;
}
