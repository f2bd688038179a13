/*
 * The position of each vertex on the device: components in topological order,
 * and within a component the order of a breadth-first search. Arcs then lead
 * forward or stay near the diagonal, which leaves tiles of nothing but infinity
 * to skip (compute/device/README.md, Panels). Neighbouring positions also need
 * much the same work as sources.
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
