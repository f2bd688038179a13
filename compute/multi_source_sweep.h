/*
 * multi-source for GPUs: the whole device sweeps over all vertices for a few
 * batches of sources (kernels/multi_source_sweep.cl).
 */
#ifndef APSP_COMPUTE_MULTI_SOURCE_SWEEP_H
#define APSP_COMPUTE_MULTI_SOURCE_SWEEP_H

#include "compute/algorithm.h"

/* As apsp_multi_source_run(). */
int apsp_multi_source_sweep_run(const struct apsp_task *task,
	struct apsp_panels *panels, struct apsp_monitor *monitor,
	struct apsp_err *err);

#endif
