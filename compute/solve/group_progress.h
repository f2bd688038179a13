/*
 * The progress of a job that several processes compute together. Each process
 * reports to rank 0 that it advances, and which part of the rows it has
 * computed. Rank 0 reports to the daemon what all processes together have done,
 * even while rank 0 waits.
 */
#ifndef APSP_COMPUTE_SOLVE_GROUP_PROGRESS_H
#define APSP_COMPUTE_SOLVE_GROUP_PROGRESS_H

#include <stdint.h>

#include "compute/progress.h"

struct apsp_group_progress {
	struct apsp_progress *progress; /* borrowed */
	/* number of reports, from all processes, that rank 0 has received so
	   far */
	uint64_t steps;
};

/* Let *progress count the rows of all processes, until
   apsp_group_progress_end(). Until then, neither *progress nor *out may move,
   and only the thread that called apsp_group_start() may report progress. In a
   group of one, this function does nothing. */
void apsp_group_progress_begin(
	struct apsp_progress *progress, struct apsp_group_progress *out);
void apsp_group_progress_end(struct apsp_group_progress *group);

#endif
