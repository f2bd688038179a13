/*
 * Sets the parameters of glibc's malloc(); see heap.h.
 */
#include "compute/solve/heap.h"

#include <malloc.h>

#include "compute/plan/host_room.h"

enum {
	/* free() gives a block of at least this many bytes back to Linux at
	   once. glibc accepts no larger limit. */
	BLOCK_MOST = 32 << 20,
};

void apsp_heap_prepare(void)
{
	/* set both thresholds, because otherwise glibc would adapt them to the
	   sizes of the blocks that are freed */
	mallopt(M_MMAP_THRESHOLD, BLOCK_MOST);
	mallopt(M_TRIM_THRESHOLD, (int)apsp_host_room_kept());
}

void apsp_heap_trim(void)
{
	if (mallinfo2().fordblks > apsp_host_room_kept())
		malloc_trim(0);
}
