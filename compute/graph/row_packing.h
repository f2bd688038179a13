/*
 * Packs the sorted rows of uploaded arcs: merges duplicates, drops arcs, and
 * checks the arcs that remain (compute/graph/README.md, Transforms).
 */
#ifndef APSP_COMPUTE_GRAPH_ROW_PACKING_H
#define APSP_COMPUTE_GRAPH_ROW_PACKING_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/graph/arc_rows.h"
#include "compute/graph/totals.h"
#include "daemon/base/err.h"
#include "daemon/job/graph_file.h"

/* Facts about the arcs, which packing collects. */
struct apsp_row_facts {
	/* the largest weight or share of all arcs, including self-loops and
	   dropped arcs. A value that has no finite length does not count.
	   -infinity: no value counts */
	double max;
	/* bit v becomes 1 if vertex v has a self-loop that the profile does not
	   drop; borrowed from the caller */
	uint64_t *self_loop;
	bool has_negative_loop; /* some self-loop has a negative length */
	uint32_t negative_loop; /* vertex of the first self-loop with a negative
				   length */
};

/*
 * If `totals` is NULL, only merge duplicate arcs, in place. All other arcs and
 * the self-loops remain, and the caller must not use *out. Otherwise also
 * filter and check the sorted arcs as the graph's profile demands, drop
 * self-loops, and fill *out. If the profile normalises weights, the transform
 * gets each weight divided by the total of its arc (totals.h). Otherwise the
 * transform gets the weights themselves.
 *
 * APSP_EDATA: the transform does not accept a weight or share; or the total of
 * an arc is missing or not above 0; or a merged weight is negative, so it has
 * no share; or there is a duplicate under duplicates=error. The message names
 * the first such arc in the order of tails, then heads. APSP_ENOMEM.
 */
int apsp_row_packing_run(const struct apsp_graph *graph,
	const struct apsp_totals *totals, struct apsp_arc_rows *rows,
	struct apsp_row_facts *out, struct apsp_err *err);

#endif
