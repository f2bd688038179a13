/*
 * The process's threads for loops over the host's processors. They start with
 * the first loop that has work for them, sleep between loops, and stay: to
 * start threads for each of many short loops takes about as long as the loops
 * where there are 16 processors.
 */
#ifndef APSP_COMPUTE_THREAD_POOL_H
#define APSP_COMPUTE_THREAD_POOL_H

#include <stddef.h>

/*
 * As apsp_parallel_for() (parallel.h), with width from 1 to APSP_PARALLEL_MAX.
 * The pool runs one loop at a time: the calls of a second one, nested in the
 * first or of another thread, are all made by their caller.
 */
void apsp_thread_pool_for(size_t n, unsigned int width,
	void (*body)(void *ctx, unsigned int thread, size_t i), void *ctx);

#endif
