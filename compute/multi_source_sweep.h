/*
 * multi-source for GPUs: the whole device sweeps over all vertices for a few
 * batches of sources (kernels/multi_source_sweep.cl).
 */
#ifndef APSP_COMPUTE_MULTI_SOURCE_SWEEP_H
#define APSP_COMPUTE_MULTI_SOURCE_SWEEP_H

#include <stdint.h>

#include "compute/algorithm.h"

/*
 * Words of bits at each vertex where all lengths are 1: seen, two fronts, and a
 * plane for each bit of V. n is below 2^20 where V is wider than 16 bits.
 */
uint32_t apsp_multi_source_words(enum apsp_element element);

/* As apsp_multi_source_run(). */
int apsp_multi_source_sweep_run(const struct apsp_task *task,
	struct apsp_panels *panels, struct apsp_monitor *monitor,
	struct apsp_err *err);

#endif
