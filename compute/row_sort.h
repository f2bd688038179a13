/*
 * Sorting the rows of compressed sparse rows, each by itself.
 */
#ifndef APSP_COMPUTE_ROW_SORT_H
#define APSP_COMPUTE_ROW_SORT_H

#include <stdint.h>

#include "daemon/base/err.h"

/*
 * Sort the arcs of each row by head, below n_vertices; stable. Row v is
 * [offsets[v], offsets[v + 1]). Linear time, in the cache's reach, since a row
 * is short beside the whole; one pass over rows that are sorted. Needs as much
 * memory as the longest row once more. APSP_ENOMEM.
 */
int apsp_rows_sort(uint32_t n_vertices, const uint64_t *offsets,
	uint32_t *heads, double *weights, struct apsp_err *err);

#endif
