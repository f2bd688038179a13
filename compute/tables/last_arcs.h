/*
 * Reads stored predecessors, some rows at a time, and finds the length of the
 * last arc of each path. The path sums (sums.h) add these lengths up.
 */
#ifndef APSP_COMPUTE_TABLES_LAST_ARCS_H
#define APSP_COMPUTE_TABLES_LAST_ARCS_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/graph/lengths.h"
#include "compute/tables/sum_arcs.h"

/* The arcs of a graph, prepared for apsp_last_arcs_find(). All threads share
   these arcs. */
struct apsp_last_arcs {
	const struct apsp_lengths *lengths; /* borrowed */
	/* The arcs, listed by head; used only if predecessors are indices.
	   NULL: there is no such list, so each arc is searched for in
	   `lengths`. Borrowed. */
	const struct apsp_sum_arcs *arcs;
	/* The lengths of all arcs, in the order of the lists by head
	   (lengths->in). NULL if predecessors are indices. Owned. */
	double *by_head;
};

/*
 * One entry of the map from tails to arcs. The map is scratch memory of one
 * thread. It has one entry for each tail, and a last entry for cells without a
 * predecessor. An arc is stored in the entry of its tail, in place of the arc
 * that was stored there before.
 */
struct apsp_last_arcs_map {
	double length;
	uint32_t head_1; /* 1 + the head of the arc; 0: there is no arc yet */
};

/* Prepare the arcs for apsp_last_arcs_find(). `lengths` and `arcs` must outlive
   *out. False: there is no memory. The caller frees out->by_head, also after a
   failure. */
bool apsp_last_arcs_open(const struct apsp_lengths *lengths,
	const struct apsp_sum_arcs *arcs, struct apsp_last_arcs *out);

/*
 * Find the lengths of the last arcs of all paths in n_rows rows. n_rows is at
 * most 16. `map` has n_vertices + 1 entries, which the caller sets to 0 before
 * the first call. rows[r] has the predecessors of row r, as they are stored.
 * The length for vertex j of row r is stored in out[r · n + j], where n is the
 * number of vertices. If j has no predecessor, an arbitrary length is stored.
 * False: a predecessor is wrong, because no arc leads from the predecessor to
 * the vertex.
 */
bool apsp_last_arcs_find(const struct apsp_last_arcs *arcs,
	struct apsp_last_arcs_map *map, const void *const *rows,
	uint32_t n_rows, double *out);

#endif
