/*
 * Lower bounds of the distances and hop counts of a solve, before a device
 * computes them: widths and scales that cannot hold them are skipped
 * (compute/graph/README.md, Widths).
 */
#ifndef APSP_COMPUTE_GRAPH_DISTANCE_BOUND_H
#define APSP_COMPUTE_GRAPH_DISTANCE_BOUND_H

#include <stdint.h>

#include "compute/graph/integers.h"
#include "compute/graph/root_paths.h"

/*
 * Store in *out_v the largest finite V(root, ·) and V(·, root), under the
 * paths' own scale and with the integers' potentials undone, and in *out_hops
 * the most arcs on their paths. paths were found in these integers of
 * n_vertices.
 */
void apsp_distance_bound_find(const struct apsp_root_paths *paths,
	const struct apsp_integers *integers, uint32_t n_vertices,
	int64_t *out_v, uint32_t *out_hops);

#endif
