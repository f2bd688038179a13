/*
 * Sets the parameters of glibc's malloc(); see heap.h.
 */
#include "compute/solve/heap.h"

#include <malloc.h>
#include <stdint.h>

#include "compute/plan/host_room.h"

enum {
	SHARE = 64,	       /* keep at most 1/64 of the host's memory, */
	KEPT_MOST = 256 << 20, /* and at most so many bytes */
	/* free() gives blocks of this size and above back to Linux at once. The
	   number is the largest one that glibc accepts. */
	BLOCK_MOST = 32 << 20,
};

static int kept_bytes(void)
{
	uint64_t share = apsp_host_room_total() / SHARE;

	return share < KEPT_MOST ? (int)share : KEPT_MOST;
}

void apsp_heap_prepare(void)
{
	/* a threshold that is set does not adapt itself any more */
	mallopt(M_MMAP_THRESHOLD, BLOCK_MOST);
	mallopt(M_TRIM_THRESHOLD, kept_bytes());
}

void apsp_heap_trim(void)
{
	if (mallinfo2().fordblks > (size_t)kept_bytes())
		malloc_trim(0);
}
