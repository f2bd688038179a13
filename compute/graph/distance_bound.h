/*
 * Lower bounds of the largest distance and hop count, known before a device
 * computes any. Widths and scales that cannot hold them are skipped
 * (compute/graph/README.md, Widths).
 */
#ifndef APSP_COMPUTE_GRAPH_DISTANCE_BOUND_H
#define APSP_COMPUTE_GRAPH_DISTANCE_BOUND_H

#include <stdint.h>

#include "compute/graph/integers.h"
#include "compute/graph/root_paths.h"

/*
 * Store in *out_v the largest finite V(root, ·) or V(·, root), in the scale of
 * the paths and without the potentials, and in *out_hops the largest number of
 * arcs on these paths. The paths were found with these integers.
 */
void apsp_distance_bound_find(const struct apsp_root_paths *paths,
	const struct apsp_integers *integers, uint32_t n_vertices,
	int64_t *out_v, uint32_t *out_hops);

#endif
