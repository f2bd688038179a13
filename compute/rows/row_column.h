/*
 * Finds the first arcs of the shortest paths from all vertices to one vertex,
 * the target (daemon/job/table_file.h, APSP_DEMAND_COLUMN).
 *
 * Let an arc be tight if it begins a shortest path from its tail to the target.
 * The tight arcs have no cycle, and the shortest paths to the target are
 * exactly the paths along tight arcs. Of several such paths from a vertex, the
 * tie rule (storage/tables/README.md, The tie rule) compares the vertices from
 * the target backwards, and chooses the path with the lowest vertex where two
 * paths differ first. A depth-first search from the target, backwards along
 * tight arcs and to lower vertices first, visits paths in this order. So the
 * search finds each vertex v for the first time along the path that the tie
 * rule chooses for v. Suppose that the search came to v along another path.
 * Where the two paths part, the path of the tie rule goes on to the lower
 * vertex, so the search visits this lower vertex first. From the lower vertex,
 * the search finds all vertices that reach it along tight arcs. So it finds v
 * before it follows the other path. Therefore a column has the same paths as
 * the rows of all sources.
 */
#ifndef APSP_COMPUTE_ROWS_ROW_COLUMN_H
#define APSP_COMPUTE_ROWS_ROW_COLUMN_H

#include <stddef.h>
#include <stdint.h>

#include "compute/rows/row_graph.h"
#include "daemon/base/err.h"

/* The memory that one thread needs to find a column. The caller allocates
   it. */
struct apsp_row_column {
	uint32_t target;
	/* V from each vertex to the target, as apsp_row_search_run() computes
	   it */
	const int64_t *v;
	/* a bit for each arc in the order of lengths.in: whether it is tight;
	   apsp_row_column_tight_bytes() bytes */
	uint64_t *tight;
	uint32_t *stack; /* n_vertices elements */
};

size_t apsp_row_column_tight_bytes(const struct apsp_row_graph *graph);

/*
 * Store in `out` the first arc of each path to the target, n_vertices elements,
 * and prove V. V is proved by two facts. For each arc, V of its tail is at most
 * the arc's integer plus V of its head; so V of a vertex is at most the V of a
 * shortest path. And tight arcs lead from each vertex that has a V to the
 * target; so V of a vertex is the V of some path.
 *
 * Takes linear time. If this is called outside all parallel loops, all
 * processors look for tight arcs. APSP_EPROOF; APSP_EOVERFLOW: V of a path does
 * not fit.
 */
int apsp_row_column_find(const struct apsp_row_graph *graph,
	const struct apsp_row_column *column, uint32_t *out,
	struct apsp_err *err);

#endif
