/*
 * `multi-source`: Bellman–Ford from many sources at once, which are neighbours
 * in a breadth-first order and so need much the same work: the sources of a
 * batch lie in the lanes of vectors, or across neighbouring work-items. Where
 * all lengths are 1 it is a breadth-first search, and a lane is a bit.
 *
 * Method: Bellman 1958, Moore 1959, with the alternating sweeps of Yen 1970;
 * many sources at once as in The et al. 2014 (MS-BFS).
 *
 * About n·m relaxations times the sweeps that a path needs, a few where lengths
 * are similar. On CPUs a work-item has one batch at a time
 * (multi_source_batches.h), on GPUs all items share some
 * (multi_source_sweeps.h).
 */
#include "compute/distance/task.h"

#include "compute/distance/multi_source_batches.h"
#include "compute/distance/multi_source_sweeps.h"

int apsp_multi_source_run(const struct apsp_task *task,
	struct apsp_panels *panels, struct apsp_progress *progress,
	struct apsp_err *err)
{
	return panels->device->tuning->gpu ? apsp_multi_source_sweeps_run(task,
						     panels, progress, err)
					   : apsp_multi_source_batches_run(task,
						     panels, progress, err);
}
