/*
 * Computes rows that come on demand: predecessors and reachability from a
 * vertex, or reachability to it (enum apsp_demand). Each row is proved before
 * it is given away.
 */
#ifndef APSP_COMPUTE_ROWS_ROW_SOLVE_H
#define APSP_COMPUTE_ROWS_ROW_SOLVE_H

#include <stddef.h>
#include <stdint.h>

#include "compute/rows/row_graph.h"
#include "daemon/base/err.h"

/* One row, and where it is stored. */
struct apsp_row_order {
	enum apsp_demand demand;
	uint32_t vertex;
	unsigned char *out; /* apsp_demand_bytes() bytes, aligned to 8;
			       borrowed */
	uint64_t checksum;  /* result: apsp_checksum() of the bytes */
	int result;	    /* 0, or the code of `err` */
	struct apsp_err err;
};

/*
 * Compute n rows on all processors; each row has its own result. V is proved by
 * its arcs: V of each vertex is the minimum, over its arcs, of V of the tail
 * plus the arc's integer. No cycle of arcs has the length 0, so only the right
 * V has this property. The predecessor is the first tail that gives the minimum
 * (storage/tables/README.md, The tie rule).
 *
 * Results: APSP_EOVERFLOW: a path is too long for 62 bits, or has too many arcs
 * for the scale. APSP_EPROOF, APSP_ENOMEM.
 */
void apsp_row_solve(const struct apsp_row_graph *graph,
	struct apsp_row_order *orders, size_t n);

#endif
