/*
 * Checking that sorted rows have exactly the arcs of the graph's file. Later
 * proofs start from the rows, so they cannot find an arc that parallel sorting
 * lost, duplicated or put into another row.
 */
#ifndef APSP_COMPUTE_GRAPH_ARC_SUM_H
#define APSP_COMPUTE_GRAPH_ARC_SUM_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/base/graph_file.h"

/* Whether invalid=drop drops an uploaded arc, which happens before duplicates
   are merged. */
static inline bool apsp_arc_is_dropped(
	const struct apsp_profile *profile, const struct apsp_arc *arc)
{
	return profile->invalid == APSP_INVALID_DROP &&
	       !apsp_transform_accepts(profile->transform, arc->weight);
}

/* Rows in compressed sparse form, borrowed; offsets: n_vertices + 1. */
struct apsp_arc_rows {
	const uint64_t *offsets;
	const uint32_t *heads;
	const double *weights;
};

/*
 * Compare the arcs of the rows with the arcs of the graph that are not dropped:
 * their number, and a 64-bit sum, independent of order, over tail, head and
 * weight of each arc. APSP_EPROOF: they differ.
 */
int apsp_arc_sum_check(const struct apsp_graph *graph,
	const struct apsp_arc_rows *rows, struct apsp_err *err);

#endif
