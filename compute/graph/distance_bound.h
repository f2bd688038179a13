/*
 * Lower bounds of the distances and hop counts of a solve, before a device
 * computes them: widths and scales that cannot hold them are skipped
 * (compute/graph/README.md, Widths).
 */
#ifndef APSP_COMPUTE_GRAPH_DISTANCE_BOUND_H
#define APSP_COMPUTE_GRAPH_DISTANCE_BOUND_H

#include <stdint.h>

#include "compute/graph/integers.h"
#include "compute/graph/lengths.h"
#include "daemon/base/err.h"

/*
 * Store in *out_v the largest finite V(root, ·) and V(·, root), under integers'
 * own scale and with its potentials undone, and in *out_hops the most arcs on
 * their paths. root is the vertex of largest degree; Dijkstra runs from it
 * forward and backward. APSP_ENOMEM.
 */
int apsp_distance_bound_find(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, int64_t *out_v,
	uint32_t *out_hops, struct apsp_err *err);

#endif
