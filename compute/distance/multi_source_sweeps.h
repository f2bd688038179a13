/*
 * The algorithm `multi-source` on GPUs: the whole device sweeps over all
 * vertices for a few batches of sources at once
 * (kernels/multi_source_sweeps.clh).
 */
#ifndef APSP_COMPUTE_DISTANCE_MULTI_SOURCE_SWEEPS_H
#define APSP_COMPUTE_DISTANCE_MULTI_SOURCE_SWEEPS_H

#include "compute/distance/task.h"

/* Run the algorithm. APSP_DECLARE_RUN() in task.h describes the arguments and
   the errors. */
int apsp_multi_source_sweeps_run(const struct apsp_task *task,
	struct apsp_panels *panels, struct apsp_progress *progress,
	struct apsp_err *err);

#endif
