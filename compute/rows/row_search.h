/*
 * Finds the distances as integers (compute/graph/README.md, Integers) from one
 * vertex to all vertices, or from all vertices to one vertex. Uses one thread.
 * Method: Dijkstra 1959, with the radix heap of Ahuja, Mehlhorn, Orlin & Tarjan
 * 1990. The search removes vertices from the heap in ascending order of their
 * distances. The bucket of a vertex depends on the highest bit in which its
 * distance differs from the distance of the vertex that was removed last.
 */
#ifndef APSP_COMPUTE_ROWS_ROW_SEARCH_H
#define APSP_COMPUTE_ROWS_ROW_SEARCH_H

#include <stddef.h>
#include <stdint.h>

#include "compute/rows/row_graph.h"
#include "daemon/base/err.h"

/* The integer distance of a vertex that is not reached; all other distances are
   below 2^62. */
#define APSP_ROW_SEARCH_INFINITY INT64_MAX

enum {
	APSP_ROW_SEARCH_BUCKETS = 65,
};

/* A vertex in the heap. */
struct apsp_row_search_item {
	int64_t distance;
	uint32_t vertex;
};

struct apsp_row_search_bucket {
	struct apsp_row_search_item *items; /* owned */
	size_t n;
	size_t capacity;
};

/* The heap of a search. A heap that is initialized with {0} is empty. A heap
   keeps its memory for the next call of apsp_row_search_run(). */
struct apsp_row_search {
	/* Bucket 0 has the items at the distance `last`. Bucket b has the items
	   whose distance differs from `last` in bit b - 1 and in no higher
	   bit. */
	struct apsp_row_search_bucket buckets[APSP_ROW_SEARCH_BUCKETS];
	int64_t last;
	/* the items of the bucket that is being emptied */
	struct apsp_row_search_bucket taken;
};

void apsp_row_search_done(struct apsp_row_search *search);

/*
 * Compute the integer distance between `vertex` and every vertex, and store
 * these distances in `out`. If `arcs` lists the outgoing arcs of each vertex,
 * these are the distances from `vertex`. If `arcs` lists the incoming arcs,
 * these are the distances to `vertex`. A distance of 2^62 or more counts as no
 * path. APSP_ENOMEM.
 */
int apsp_row_search_run(struct apsp_row_search *search,
	const struct apsp_row_arcs *arcs, uint32_t vertex, int64_t *out,
	struct apsp_err *err);

#endif
