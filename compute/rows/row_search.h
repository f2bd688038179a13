/*
 * Finds the distances as integers (compute/graph/README.md, Integers) from one
 * vertex to all vertices, or from all vertices to one vertex. Uses one thread.
 * Method: Dijkstra 1959, with the radix heap of Ahuja, Mehlhorn, Orlin & Tarjan
 * 1990. The search removes vertices from the heap in ascending order of their
 * distances. So all vertices in the heap are at least as far as the vertex that
 * was removed last. Compare the distance of a vertex with the distance of that
 * last vertex: the highest bit in which the two differ says in which bucket the
 * vertex lies.
 */
#ifndef APSP_COMPUTE_ROWS_ROW_SEARCH_H
#define APSP_COMPUTE_ROWS_ROW_SEARCH_H

#include <stdint.h>

#include "compute/rows/row_graph.h"
#include "daemon/base/err.h"

/* The integer distance of a vertex that is not reached; all other distances are
   below 2^62. */
#define APSP_ROW_SEARCH_INFINITY INT64_MAX

struct apsp_row_search;

/* Make a search in `graph`. The graph is borrowed. The caller ends *out with
   apsp_row_search_free(). APSP_ENOMEM. */
int apsp_row_search_new(const struct apsp_row_graph *graph,
	struct apsp_row_search **out, struct apsp_err *err);
void apsp_row_search_free(struct apsp_row_search *search);

/*
 * Compute the integer distance between `vertex` and every vertex, and store
 * these distances in `out`. If `arcs` lists the outgoing arcs of each vertex,
 * the distances are for the paths from `vertex`. If `arcs` lists the incoming
 * arcs, they are for the paths to `vertex`. A distance of 2^62 or more counts
 * as no path. APSP_ENOMEM.
 */
int apsp_row_search_run(struct apsp_row_search *search,
	const struct apsp_row_arcs *arcs, uint32_t vertex, int64_t *out,
	struct apsp_err *err);

#endif
