/*
 * Sorting each row of compressed sparse rows.
 */
#ifndef APSP_COMPUTE_GRAPH_ROW_SORT_H
#define APSP_COMPUTE_GRAPH_ROW_SORT_H

#include <stdint.h>

#include "daemon/base/err.h"

/*
 * Sort the arcs of each row by head; stable. Row v is [offsets[v], offsets[v +
 * 1]), and heads are below n_vertices. Takes linear time, mostly within the
 * cache because rows are short, and one pass for a row that is sorted already.
 * Runs on all processors; each of them needs memory for a copy of a long row.
 * APSP_ENOMEM.
 */
int apsp_row_sort(uint32_t n_vertices, const uint64_t *offsets, uint32_t *heads,
	double *weights, struct apsp_err *err);

#endif
