/*
 * A loop over the host's processors.
 */
#ifndef APSP_COMPUTE_PARALLEL_H
#define APSP_COMPUTE_PARALLEL_H

#include <stddef.h>

enum {
	APSP_PARALLEL_MAX = 64, /* threads */
};

/*
 * Processors that this process may run on, 1 to APSP_PARALLEL_MAX: those of its
 * affinity, and no more than its control group has time for. The group is asked
 * once in a process.
 */
unsigned int apsp_parallel_width(void);

/*
 * The processors, rounded up, whose time a control group may take, as it and
 * the groups around it say in their directories (control_group.h);
 * APSP_PARALLEL_MAX: there is no limit.
 */
unsigned int apsp_parallel_quota(const char *root, const char *group);

/*
 * Call body(ctx, thread, i) for each i in [0, n), with thread in [0, width), on
 * threads that stay (thread_pool.h). Threads take one i at a time. If a thread
 * cannot be started, the others do its share. Blocks until all calls have
 * returned. A loop within another is its caller's alone.
 */
void apsp_parallel_for(size_t n, unsigned int width,
	void (*body)(void *ctx, unsigned int thread, size_t i), void *ctx);

#endif
