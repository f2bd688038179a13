/*
 * Whether rows of arcs are the arcs of a graph's file: sorted by all
 * processors, an arc that is lost, told twice or given to another row would
 * be missed by every later proof, since these begin at the rows.
 */
#ifndef APSP_COMPUTE_GRAPH_ARC_SUM_H
#define APSP_COMPUTE_GRAPH_ARC_SUM_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/base/graph_file.h"

/* invalid=drop drops an arc before its weight can take part in a sum. */
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
 * Compare the arcs of the rows with those of the graph that are not dropped, by
 * their number and by a sum of 64 bits that takes each arc's tail, head and
 * weight, in any order. APSP_EPROOF: they differ.
 */
int apsp_arc_sum_check(const struct apsp_graph *graph,
	const struct apsp_arc_rows *rows, struct apsp_err *err);

#endif
