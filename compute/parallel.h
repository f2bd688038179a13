/*
 * Loops that run their iterations on several of the host's processors.
 */
#ifndef APSP_COMPUTE_PARALLEL_H
#define APSP_COMPUTE_PARALLEL_H

#include <stddef.h>

enum {
	APSP_PARALLEL_MAX = 64, /* largest number of threads */
	/* Largest number of processors of a Linux host. One cpu_set_t has bits
	   for 1024 processors, and sched_getaffinity() fails if the host can
	   have more processors. */
	APSP_PARALLEL_CPUS = 8192,
};

/*
 * Return the number of processors that this process is allowed to use, from 1
 * to APSP_PARALLEL_MAX. Each hardware thread of a core counts as a processor,
 * because Linux schedules threads on it. The result is the number of processors
 * in the affinity mask, but at most the quota of the control group. A process
 * reads the quota once. The affinity may change between two calls. So code that
 * allocates memory for each thread must call this function only once, and keep
 * the result.
 */
unsigned int apsp_parallel_processors(void);

/*
 * Return the least CPU quota (cpu.max) of a control group and of the groups
 * that contain it, in processors, rounded up. `root` and `group` mean the same
 * as for apsp_control_group_least(). APSP_PARALLEL_MAX: there is no limit.
 */
unsigned int apsp_parallel_quota(const char *root, const char *group);

/*
 * Call body(ctx, thread, i) for each i in [0, n), with thread in [0, width);
 * width is 1 or more. Each thread takes one i at a time. If a thread cannot be
 * started, the other threads make all calls. Blocks until all calls have
 * returned.
 *
 * In a process, only one loop at a time runs on several threads. If a loop is
 * nested in another, or another thread's loop is running, the calling thread
 * makes all calls itself.
 */
void apsp_parallel_for(size_t n, unsigned int width,
	void (*body)(void *ctx, unsigned int thread, size_t i), void *ctx);

/* A loop that apsp_parallel_parts() runs together with other loops. */
struct apsp_parallel_part {
	size_t n;
	void (*body)(void *ctx, unsigned int thread, size_t i);
	void *ctx;
};

/* Run n_parts loops as one loop of apsp_parallel_for(). When a thread finds no
   more work in one loop, it continues with the next loop at once. */
void apsp_parallel_parts(const struct apsp_parallel_part *parts, size_t n_parts,
	unsigned int width);

#endif
