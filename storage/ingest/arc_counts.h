/*
 * Counts of an upload's arcs. For pairs of vertices: the number of repeated
 * arcs, and the sum of the weights of each pair. For vertices: the number of
 * arcs that begin and that end at each vertex (the degrees of the vertex). The
 * out-degrees show whether a few vertices have most of the arcs. The in-degrees
 * show how many bits a predecessor needs: a table can store it as the number of
 * an arc among all arcs to the same vertex (daemon/job/table_file.h).
 *
 * All counts are optional. The counts of pairs are dropped if there are more
 * than about 390,000 pairs, or if there is no memory for them. The degrees are
 * dropped if memory is short, or if the graph has too many vertices for tables.
 */
#ifndef APSP_STORAGE_INGEST_ARC_COUNTS_H
#define APSP_STORAGE_INGEST_ARC_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/budget.h"
#include "daemon/job/graph_file.h"

struct apsp_pair_slot {
	uint64_t key; /* 0: a free slot */
	double sum;
};

struct apsp_arc_degrees {
	uint32_t out, in;
};

struct apsp_arc_counts {
	/* the upload's share of the memory budget; the share counts the memory
	   of this struct; may be NULL */
	struct apsp_share *share;

	struct apsp_pair_slot *pairs; /* owned */
	uint64_t n_slots, n_pairs, factor;
	bool pairs_given_up;

	/* the degrees of each vertex whose index is below n_degrees; owned */
	struct apsp_arc_degrees *degrees;
	size_t n_degrees;
	uint64_t n_arcs;  /* without self-loops */
	uint64_t squares; /* sum of the squares of all out-degrees */
	uint32_t max_in;  /* the largest in-degree */
	bool degrees_given_up;
};

/* Set all counts to 0. No memory is allocated yet. */
void apsp_arc_counts_init(
	struct apsp_arc_counts *counts, struct apsp_share *share);

/*
 * Count an arc. Its vertices must be below APSP_VERTICES_MAX. A self-loop
 * counts as a pair, but does not increase the degrees of its vertex. Returns
 * whether an earlier arc has the same tail and head. *out_sum becomes the sum
 * of the weights of this arc and of all such earlier arcs. The sum is rounded
 * after each addend. If the counts of pairs were dropped, the function returns
 * false, and *out_sum is the weight of this arc alone. There are at most 2^31
 * arcs, so no degree and no sum of squares overflows.
 */
bool apsp_arc_counts_add(struct apsp_arc_counts *counts,
	const struct apsp_arc *arc, double *out_sum);

/* Return the facts (enum apsp_arc_fact) that follow from the degrees of the
   vertices; 0 if the degrees were dropped. n_vertices is the number of vertices
   that have an arc from or to another vertex. */
unsigned int apsp_arc_counts_facts(
	const struct apsp_arc_counts *counts, uint32_t n_vertices);

/* Free the memory and drop all counts. */
void apsp_arc_counts_done(struct apsp_arc_counts *counts);

#endif
