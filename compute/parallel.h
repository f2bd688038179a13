/*
 * A loop over the host's processors.
 */
#ifndef APSP_COMPUTE_PARALLEL_H
#define APSP_COMPUTE_PARALLEL_H

#include <stddef.h>

enum {
	APSP_PARALLEL_MAX = 64, /* threads */
};

/* Processors that this process may run on; at least 1, at most
 * APSP_PARALLEL_MAX. */
unsigned int apsp_parallel_width(void);

/*
 * Call body(ctx, thread, i) for each i in [0, n), thread in [0, width). Items
 * are handed out one at a time; a thread that cannot be started is done
 * without. Blocks until all are done.
 */
void apsp_parallel_for(size_t n, unsigned int width,
	void (*body)(void *ctx, unsigned int thread, size_t i), void *ctx);

#endif
