/*
 * An order for one row: which row is to be computed, where it is to be stored,
 * and the result.
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

/* Set *err to APSP_EOVERFLOW: the integer distance of some path does not fit 62
   bits. Returns this error code. The unit of real lengths is a fraction of the
   smallest length, so for these lengths the message recommends no other scale
   of the weights. */
int apsp_row_order_overflow(
	const struct apsp_row_graph *graph, struct apsp_err *err);

/* Return the address of the bits of the reached vertices in the row `out`. */
uint64_t *apsp_row_order_bits(
	const struct apsp_row_graph *graph, unsigned char *out);

#endif
