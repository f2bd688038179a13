/*
 * Finds the first arcs of the shortest paths from all vertices to one vertex,
 * the target (daemon/base/table_file.h, APSP_DEMAND_COLUMN).
 *
 * Let an arc be tight if it begins a shortest path from its tail to the target.
 * The tight arcs have no cycle, and the shortest paths to the target are exactly
 * the paths along tight arcs. Of several such paths from a vertex, the tie rule
 * (storage/tables/README.md, The tie rule) compares the vertices from the target
 * backwards, and chooses the path with the lowest vertex where two paths differ
 * first. A depth-first search from the target, backwards along tight arcs and to
 * lower vertices first, takes paths in just this order. When it finds a vertex
 * for the first time, it has come along the path of the tie rule: otherwise it
 * would have begun earlier with a vertex of that path, and would have found all
 * vertices from which tight arcs lead there. So a column has the same paths as
 * the rows of all sources.
 */
#ifndef APSP_COMPUTE_ROWS_ROW_COLUMN_H
#define APSP_COMPUTE_ROWS_ROW_COLUMN_H

#include <stdint.h>

#include "compute/rows/row_graph.h"
#include "daemon/base/err.h"

/*
 * Store in `out` the first arc of each path to `target`, n_vertices elements.
 * `v` is V from each vertex to `target`, as apsp_row_search_run() computes it,
 * and must have been proved. Takes linear time, and no memory. APSP_EPROOF: the
 * tight arcs do not connect all vertices that have a V with the target.
 */
int apsp_row_column_find(const struct apsp_row_graph *graph, uint32_t target,
	const int64_t *v, uint32_t *out, struct apsp_err *err);

#endif
