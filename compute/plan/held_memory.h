/*
 * The host memory that a solver holds while it waits for its next job. The
 * solver reports the numbers of bytes to the daemon, and the daemon uses these
 * numbers to estimate the memory of the next job.
 */
#ifndef APSP_COMPUTE_PLAN_HELD_MEMORY_H
#define APSP_COMPUTE_PLAN_HELD_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compute/plan/footprint.h"

enum {
	/* largest number of pinned buffers that a download from a GPU needs */
	APSP_HELD_BUFFERS_MAX = APSP_DOWNLOAD_PINNED,
	APSP_HELD_MEMORY_TEXT_SIZE = (APSP_HELD_BUFFERS_MAX + 1) * 28,
};

/* In an object whose members are all 0, the number of bytes is not known, and
   no buffers are kept. */
struct apsp_held_memory {
	/* bytes that the solver holds in addition to its pinned buffers; 0:
	   not known */
	uint64_t own_bytes;
	/* Bytes of each pinned buffer that the solver keeps for the next job
	   (compute/device/pinned_pool.h), in ascending order. */
	uint64_t buffers[APSP_HELD_BUFFERS_MAX];
	size_t n_buffers;
};

/* Return the sum of the bytes of all buffers. */
uint64_t apsp_held_memory_kept(const struct apsp_held_memory *held);

/*
 * Remove the smallest buffer that has at least `size` bytes. A plan calls this
 * function once for each buffer that the next job needs, because the solver
 * gives the job its kept buffers in the same way. False: no buffer is large
 * enough, so the job will allocate a new one.
 */
bool apsp_held_memory_take(struct apsp_held_memory *held, uint64_t size);

/* Format the fields of the line `held` that the solver prints: "own 16777216
   buffer 4096 buffer …". */
void apsp_held_memory_format(const struct apsp_held_memory *held,
	char out[APSP_HELD_MEMORY_TEXT_SIZE]);

/* Parse the fields of a line `held`. False: the fields are invalid, and *out is
   not changed. */
bool apsp_held_memory_parse(const char *text, struct apsp_held_memory *out);

#endif
