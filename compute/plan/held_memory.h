/*
 * The host memory that a solver holds between two jobs. The solver reports it
 * to the daemon, and plans of the next job count it. Plain data.
 */
#ifndef APSP_COMPUTE_PLAN_HELD_MEMORY_H
#define APSP_COMPUTE_PLAN_HELD_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	APSP_HELD_BUFFERS_MAX = 12, /* as a download on a GPU has */
	APSP_HELD_MEMORY_TEXT_SIZE = (APSP_HELD_BUFFERS_MAX + 1) * 28,
};

/* If all zero, nothing is known and nothing is kept. */
struct apsp_held_memory {
	uint64_t own_bytes; /* beside the buffers; 0: not known */
	/* Bytes of each pinned buffer that is kept for the next job
	   (compute/device/pinned_pool.h), the smallest first. */
	uint64_t buffers[APSP_HELD_BUFFERS_MAX];
	size_t n_buffers;
};

/* The bytes of all buffers. */
uint64_t apsp_held_memory_kept(const struct apsp_held_memory *held);

/*
 * Remove the smallest buffer of at least size bytes, which is the one that the
 * next job would use. False: there is none, and the job makes a new one.
 */
bool apsp_held_memory_take(struct apsp_held_memory *held, uint64_t size);

/* As fields of the solver's line `held`: "own 16777216 buffer 4096 buffer …".
 */
void apsp_held_memory_format(const struct apsp_held_memory *held,
	char out[APSP_HELD_MEMORY_TEXT_SIZE]);

/* Parse such fields. False: they are invalid, and *out is as it was. */
bool apsp_held_memory_parse(const char *text, struct apsp_held_memory *out);

#endif
