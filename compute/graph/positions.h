/*
 * The positions of vertices. A vertex's position is the number of its row and
 * column on the device. Vertices are ordered by component, in topological
 * order, and the vertices of one component are in breadth-first order. In the
 * matrix of arcs, each arc is then above the diagonal or near it. Therefore
 * many tiles of the matrix hold only infinity, and are skipped
 * (compute/device/README.md, Panels). Sources at neighbouring positions need
 * about the same work.
 */
#ifndef APSP_COMPUTE_GRAPH_POSITIONS_H
#define APSP_COMPUTE_GRAPH_POSITIONS_H

#include <stdint.h>

#include "compute/graph/components.h"
#include "compute/graph/lengths.h"
#include "daemon/base/err.h"

/* A permutation and its inverse. Both arrays are owned. */
struct apsp_positions {
	uint32_t n_vertices;
	uint32_t *vertices; /* position → vertex */
	uint32_t *of;	    /* vertex → position */
};

/* Order the vertices, in linear time. The caller ends *out with
   apsp_positions_done(). APSP_ENOMEM. */
int apsp_positions_build(const struct apsp_lengths *lengths,
	const struct apsp_components *components, struct apsp_positions *out,
	struct apsp_err *err);
void apsp_positions_done(struct apsp_positions *positions);

/*
 * Order the vertices by parts. Part i has the vertices from ends[i - 1] to
 * ends[i] - 1; part 0 begins at vertex 0. ends[n_parts - 1] is the number of
 * vertices. The vertices of part i get the positions from ends[i - 1] to
 * ends[i] - 1, and within their part they keep the order that they have in
 * `positions`. The caller ends *out with apsp_positions_done(). APSP_ENOMEM.
 */
int apsp_positions_divide(const struct apsp_positions *positions,
	const uint32_t *ends, uint32_t n_parts, struct apsp_positions *out,
	struct apsp_err *err);

#endif
