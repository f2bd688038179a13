/*
 * Finds the first arcs of the shortest paths from all vertices to one vertex,
 * the target (daemon/job/table_file.h, APSP_DEMAND_COLUMN).
 *
 * Let an arc be tight if it begins a shortest path from its tail to the target.
 * The tight arcs have no cycle, and the shortest paths to the target are
 * exactly the paths along tight arcs. If several such paths begin at one
 * vertex, the tie rule chooses one of them (storage/tables/README.md, The tie
 * rule): it compares the paths from the target backwards, and chooses the path
 * whose vertex is lower where the paths first differ. A depth-first search from
 * the target, backwards along tight arcs and to lower vertices first, visits
 * paths in this order. So the search finds each vertex v for the first time
 * along the path that the tie rule chooses for v. The reason: compare the tie
 * rule's path with any other path of tight arcs from v. Seen from the target,
 * the two paths are equal up to some vertex. There, the tie rule's path has the
 * lower next vertex, so the search visits this vertex first. It then finds all
 * vertices that reach this vertex along tight arcs, and v is one of them. So it
 * finds v before it follows the other path. Therefore a column has the same
 * paths as the rows of all sources.
 */
#ifndef APSP_COMPUTE_ROWS_ROW_COLUMN_H
#define APSP_COMPUTE_ROWS_ROW_COLUMN_H

#include <stdint.h>

#include "compute/rows/row_graph.h"
#include "daemon/base/err.h"

/* The memory that one thread needs to find a column. The caller sets all
   members except `tight`. */
struct apsp_row_column {
	uint32_t target;
	/* the integer distance from each vertex to the target, as
	   apsp_row_search_run() computes it */
	const int64_t *v;
	/* One bit for each arc, in the order of lengths.in: 1 if the arc is
	   tight. NULL before the first column. The caller frees it. */
	uint64_t *tight;
	uint32_t *stack; /* the stack of the search; n_vertices elements */
};

/*
 * Store in out[v] the first arc of the path from v to the target, for each
 * vertex v, and prove the integer distances column->v to the target. Two facts
 * prove them. First, for each arc, the distance of its tail is at most the
 * arc's integer plus the distance of its head. So the distance of a vertex is
 * never more than a shortest path gives. Second, tight arcs lead to the target
 * from each vertex that has a distance. So the distance of a vertex is the
 * length of some path.
 *
 * Takes linear time. If the function is called outside parallel loops, it uses
 * all processors to mark tight arcs. APSP_EPROOF; APSP_EOVERFLOW: the integer
 * distance of a path does not fit; APSP_ENOMEM.
 */
int apsp_row_column_find(const struct apsp_row_graph *graph,
	struct apsp_row_column *column, uint32_t *out, struct apsp_err *err);

#endif
