/*
 * Buffers between jobs; see pinned_pool.h.
 */
#include "compute/device/pinned_pool.h"

#include <stdlib.h>

#include "compute/device/opencl.h"
#include "compute/plan/host_room.h"

enum {
	PLACES = 12,	 /* a download on a GPU has ten */
	ROOM_SHARE = 64, /* of the memory that is left, at most */
};

struct apsp_pinned_pool {
	cl_command_queue queue;
	uint64_t most_bytes;
	uint64_t bytes;
	struct apsp_pinned kept[PLACES]; /* the smallest first */
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

/* Take out the i-th. */
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

bool apsp_pinned_pool_give(
	struct apsp_pinned_pool *pool, const struct apsp_pinned *pinned)
{
	uint64_t most, room;
	size_t i;

	if (!pool)
		return false;
	room = apsp_host_room_now() / ROOM_SHARE;
	most = pool->most_bytes < room ? pool->most_bytes : room;
	if (pinned->size > most)
		return false;
	while (pool->n > 0 && pool->kept[0].size < pinned->size &&
		(pool->n == PLACES || pool->bytes + pinned->size > most))
		smallest_end(pool);
	if (pool->n == PLACES || pool->bytes + pinned->size > most)
		return false;
	for (i = pool->n++; i > 0 && pool->kept[i - 1].size > pinned->size; i--)
		pool->kept[i] = pool->kept[i - 1];
	pool->kept[i] = *pinned;
	pool->bytes += pinned->size;
	return true;
}
