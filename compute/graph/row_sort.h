/*
 * Sorting the rows of compressed sparse rows, each by itself.
 */
#ifndef APSP_COMPUTE_GRAPH_ROW_SORT_H
#define APSP_COMPUTE_GRAPH_ROW_SORT_H

#include <stdint.h>

#include "daemon/base/err.h"

/*
 * Sort the arcs of each row by head; stable. Row v is [offsets[v], offsets[v +
 * 1]), and heads are below n_vertices. Linear time, and mostly within the
 * cache, since rows are short; a row that is sorted takes one pass. On all
 * processors, each of which needs a copy of a long row. APSP_ENOMEM.
 */
int apsp_row_sort(uint32_t n_vertices, const uint64_t *offsets, uint32_t *heads,
	double *weights, struct apsp_err *err);

#endif
