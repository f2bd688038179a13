/*
 * The position of each vertex in the rows and columns on the device: components
 * stand in topological order, vertices within a component in breadth-first
 * order. Then arcs lead forward or stay near the diagonal, so that many tiles
 * hold only infinity and are skipped (compute/device/README.md, Panels).
 * Vertices at neighbouring positions also need about the same work as sources.
 */
#ifndef APSP_COMPUTE_GRAPH_POSITIONS_H
#define APSP_COMPUTE_GRAPH_POSITIONS_H

#include <stdint.h>

#include "compute/graph/components.h"
#include "compute/graph/lengths.h"
#include "daemon/base/err.h"

/* A permutation and its inverse; arrays owned. */
struct apsp_positions {
	uint32_t n_vertices;
	uint32_t *vertices; /* position → vertex */
	uint32_t *of;	    /* vertex → position */
};

/* Linear time. The caller ends *out with apsp_positions_done(). APSP_ENOMEM. */
int apsp_positions_build(const struct apsp_lengths *lengths,
	const struct apsp_components *components, struct apsp_positions *out,
	struct apsp_err *err);
void apsp_positions_done(struct apsp_positions *positions);

#endif
