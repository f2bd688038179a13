/*
 * The orders in which kernels settle the tails of widest paths
 * (compute/tables/README.md, Widest paths). Most pairs are as wide as a path by
 * way of a well-connected vertex, the root. Such a path first leads to the
 * root, and then away from it. So sweeps alternate between two orders: vertices
 * from which the root is far come first, and vertices that are near the root
 * come first. Then most vertices are settled in the first two sweeps.
 */
#ifndef APSP_COMPUTE_TABLES_SETTLE_ORDER_H
#define APSP_COMPUTE_TABLES_SETTLE_ORDER_H

#include <stdint.h>

#include "compute/graph/lengths.h"
#include "daemon/base/err.h"

/*
 * Store in `out` the vertices in both orders, one after the other: 2 ·
 * n_vertices entries. Paths use the arcs whose byte in `flags` is 1; lengths
 * are ranks. Every order is right; a good one saves sweeps. APSP_ENOMEM.
 */
int apsp_settle_order_make(const struct apsp_lengths *lengths,
	const uint8_t *flags, uint32_t *out, struct apsp_err *err);

#endif
