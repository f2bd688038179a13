/*
 * Finds the first arcs of the shortest paths from all vertices to one vertex,
 * the target (daemon/job/table_file.h, APSP_DEMAND_COLUMN).
 *
 * Let an arc be tight if it begins a shortest path from its tail to the target.
 * The tight arcs have no cycle, and the shortest paths to the target are
 * exactly the paths along tight arcs. If several such paths begin at one
 * vertex, the tie rule chooses one of them (storage/tables/README.md, The tie
 * rule): it compares the paths from the target backwards, and chooses the path
 * whose vertex is lower where the paths first differ.
 *
 * A depth-first search from the target follows tight arcs backwards, lower
 * vertices first. Let P be the path that the tie rule chooses for a vertex v.
 * The search finds v along P. For suppose that it found v along another path Q.
 * Seen from the target, P and Q are equal up to a vertex u, where P goes on to
 * vertex p, Q goes on to vertex q, and p < q. From u, the search visits p
 * before q, and then finds all vertices that have a path of tight arcs to p.
 * One of them is v. So v is found before the search follows Q from u to q.
 * Therefore a column has the same paths as the rows of all sources.
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
 * vertex v, and prove the integer distances column->v to the target. Let d(v)
 * be the distance of v. Two facts prove that d(v) is right. First, for each arc
 * from u to w, d(u) is at most the arc's integer length plus d(w). So no path
 * from v is shorter than d(v). Second, tight arcs lead from each v with a
 * distance to the target. So some path from v has the length d(v).
 *
 * Takes linear time. If the function is called outside parallel loops, it uses
 * all processors to mark tight arcs. APSP_EPROOF: a distance is wrong;
 * APSP_EOVERFLOW: an integer distance does not fit 62 bits, or a path may have
 * too many arcs for the scale; APSP_ENOMEM.
 */
int apsp_row_column_find(const struct apsp_row_graph *graph,
	struct apsp_row_column *column, uint32_t *out, struct apsp_err *err);

#endif
