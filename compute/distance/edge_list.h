/*
 * The list of edges for `bf-edges` and `bfs-levels`. The ends of an edge are
 * positions (positions.h). An arc is an edge. But if two vertices have an arc
 * in each direction, and both arcs have the same length, the two arcs are one
 * edge. Positions are divided into ranges, which are called segments. Edges are
 * sorted by the segments of their ends, so that neighbouring edges use values
 * that are in the cache at the same time. Each block of this drawing has the
 * edges from one segment of tails to one segment of heads:
 *
 *	heads in segment 0        | heads in segment 1        | …
 *	tails 0 | tails 1 | … | … | tails 0 | tails 1 | … | … |
 *
 * Within a block, edges are sorted by head, so that neighbouring edges write to
 * the same cache lines.
 */
#ifndef APSP_COMPUTE_DISTANCE_EDGE_LIST_H
#define APSP_COMPUTE_DISTANCE_EDGE_LIST_H

#include <stdint.h>

#include "compute/graph/integers.h"
#include "compute/graph/lengths.h"
#include "compute/graph/positions.h"
#include "daemon/base/err.h"

/* Flag in a tail: the edge also leads from head to tail. Positions are below
   2^31, so they do not need this bit. */
#define APSP_EDGE_BOTH_WAYS (UINT32_C(1) << 31)

struct apsp_edge {
	/* the position of the edge's tail; if the edge leads both ways, the
	   flag APSP_EDGE_BOTH_WAYS is added */
	uint32_t tail;
	uint32_t head;
	int64_t length;
};

/* Owned. */
struct apsp_edge_list {
	uint64_t n_edges;
	struct apsp_edge *edges;
};

/*
 * List all arcs that are shorter than `infinity`, as edges. `segment` is the
 * number of positions in a segment. If `segment` is 0, edges are neither sorted
 * nor merged; only benchmarks pass 0. Takes time O(m log d) for m arcs, where d
 * is the largest number of arcs that begin at one vertex. The caller ends *out
 * with apsp_edge_list_done(). APSP_ENOMEM. Method: "SSSP and BFS on Kepler",
 * 2014.
 */
int apsp_edge_list_build(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers,
	const struct apsp_positions *positions, int64_t infinity,
	uint32_t segment, struct apsp_edge_list *out, struct apsp_err *err);
void apsp_edge_list_done(struct apsp_edge_list *list);

#endif
