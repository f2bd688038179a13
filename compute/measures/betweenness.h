/*
 * Betweenness of every vertex: over all ordered pairs of two other vertices,
 * the sum of the share of their shortest paths that the vertex lies on
 * (Freeman 1977; Brandes 2001). compute/measures/README.md says which paths are
 * equally long.
 */
#ifndef APSP_COMPUTE_MEASURES_BETWEENNESS_H
#define APSP_COMPUTE_MEASURES_BETWEENNESS_H

#include "compute/graph/lengths.h"
#include "compute/measures/distance_rows.h"
#include "compute/parallel.h"
#include "compute/progress.h"
#include "daemon/base/err.h"

/*
 * Fill n_vertices numbers. All are NaN if paths cannot be counted because a
 * length is negative or a cycle has length 0. The bits do not depend on the
 * number of threads. rows has the finished distances of these lengths; progress
 * is in the phase of betweenness. The memory used is apsp_measure_bytes()
 * (compute/plan/measure_cost.h). APSP_ECANCELLED, APSP_ENOMEM; APSP_EPROOF: the
 * distances do not fit the lengths; any error of rows->read().
 */
int apsp_betweenness_run(const struct apsp_lengths *lengths,
	const struct apsp_distance_rows *rows, unsigned int width,
	struct apsp_progress *progress, double *out, struct apsp_err *err);

#endif
