/*
 * An order is a request to compute one row. It names the row and the memory for
 * the row, and gets the result.
 */
#ifndef APSP_COMPUTE_ROWS_ROW_ORDER_H
#define APSP_COMPUTE_ROWS_ROW_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/rows/row_graph.h"
#include "daemon/base/err.h"

struct apsp_row_order {
	enum apsp_demand demand;
	uint32_t vertex;
	unsigned char *out; /* the memory for the row: apsp_demand_bytes()
			       bytes, aligned to 8; borrowed */
	uint64_t checksum;  /* result: apsp_checksum() of the bytes */
	int result;	    /* 0, or the code of `err` if the row failed */
	struct apsp_err err;
	bool done; /* true: the row was computed or has failed */
};

/* Store the predecessor of vertex j in the row `out`. The predecessor is the
   tail of the arc with the index `arc` in lengths.in. If `has` is false, there
   is no predecessor. */
void apsp_row_order_store(const struct apsp_row_graph *graph, uint32_t j,
	bool has, uint64_t arc, unsigned char *out);

/* Set *err to APSP_EOVERFLOW, and return this code: the integer distance of
   some path does not fit 62 bits. The message recommends smaller weights, but
   not if lengths are real: their unit is a fraction of the smallest length, so
   another scale of the weights does not help. */
int apsp_row_order_overflow(
	const struct apsp_row_graph *graph, struct apsp_err *err);

/* Return the address, in the row `out`, of the bits that show which vertices
   are reached: bit v for vertex v. */
uint64_t *apsp_row_order_bits(
	const struct apsp_row_graph *graph, unsigned char *out);

#endif
