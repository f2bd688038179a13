/*
 * The strongly and the weakly connected component of each vertex. The name of a
 * component is its least vertex.
 */
#ifndef APSP_COMPUTE_STATISTICS_VERTEX_COMPONENTS_H
#define APSP_COMPUTE_STATISTICS_VERTEX_COMPONENTS_H

#include "compute/graph/lengths.h"
#include "daemon/base/err.h"

/*
 * Store in strong[v] the least vertex of v's strongly connected component, and
 * in weak[v] the least vertex of v's weakly connected component. APSP_ENOMEM.
 */
int apsp_vertex_components(const struct apsp_lengths *lengths, double *strong,
	double *weak, struct apsp_err *err);

#endif
