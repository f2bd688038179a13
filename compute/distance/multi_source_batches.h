/*
 * multi-source for CPUs: each processor solves one batch of sources after
 * another (kernels/multi_source_batches.clh).
 */
#ifndef APSP_COMPUTE_DISTANCE_MULTI_SOURCE_BATCHES_H
#define APSP_COMPUTE_DISTANCE_MULTI_SOURCE_BATCHES_H

#include "compute/distance/distance_algorithm.h"

/* As apsp_multi_source_run(). */
int apsp_multi_source_batches_run(const struct apsp_task *task,
	struct apsp_panels *panels, struct apsp_progress *progress,
	struct apsp_err *err);

#endif
