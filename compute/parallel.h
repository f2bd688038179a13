/*
 * A loop over the host's processors.
 */
#ifndef APSP_COMPUTE_PARALLEL_H
#define APSP_COMPUTE_PARALLEL_H

#include <stddef.h>

enum {
	APSP_PARALLEL_MAX = 64, /* threads */
};

/* Processors that this process may run on, 1 to APSP_PARALLEL_MAX. */
unsigned int apsp_parallel_width(void);

/*
 * Call body(ctx, thread, i) for each i in [0, n), with thread in [0, width).
 * Threads take one i at a time. If a thread cannot be started, the others do
 * its share. Blocks until all calls have returned.
 */
void apsp_parallel_for(size_t n, unsigned int width,
	void (*body)(void *ctx, unsigned int thread, size_t i), void *ctx);

#endif
