/*
 * Arcs one by one, as bf-edges and bfs-levels take them: in positions, two arcs
 * of one length between the same pair being one edge, ordered by segment, so
 * that neighbouring edges touch values that lie in the cache together:
 *
 *	heads in segment 0        | heads in segment 1        | …
 *	tails 0 | tails 1 | … | … | tails 0 | tails 1 | … | … |
 *
 * and within such a block by head, so that neighbours write to the same lines.
 */
#ifndef APSP_COMPUTE_EDGE_LIST_H
#define APSP_COMPUTE_EDGE_LIST_H

#include <stdint.h>

#include "compute/lengths.h"
#include "compute/order.h"
#include "daemon/base/err.h"

/* In a tail: the edge leads back as well. Positions are below it. */
#define APSP_EDGE_BOTH_WAYS (UINT32_C(1) << 31)

struct apsp_edge {
	uint32_t tail; /* positions */
	uint32_t head;
	int64_t length;
};

/* Owned. */
struct apsp_edge_list {
	uint64_t n_edges;
	struct apsp_edge *edges;
};

/*
 * The arcs shorter than infinity. segment is in positions; 0 leaves them in the
 * order of the upload's rows, each arc for itself: what ordering and merging
 * are measured against. Time m log d for m arcs and d of them at a vertex. The
 * caller ends *out with apsp_edge_list_done(). APSP_ENOMEM. Method: "SSSP and
 * BFS on Kepler", 2014.
 */
int apsp_edge_list_build(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, const struct apsp_order *order,
	int64_t infinity, uint32_t segment, struct apsp_edge_list *out,
	struct apsp_err *err);
void apsp_edge_list_done(struct apsp_edge_list *list);

#endif
