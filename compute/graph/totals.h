/*
 * The totals by which a profile's option `normalise` divides weights
 * (compute/graph/README.md, Shares).
 */
#ifndef APSP_COMPUTE_GRAPH_TOTALS_H
#define APSP_COMPUTE_GRAPH_TOTALS_H

#include <stdint.h>

#include "compute/graph/arc_rows.h"
#include "daemon/base/err.h"
#include "daemon/job/graph_file.h"

struct apsp_totals {
	/* INPUT: the total of an arc is the total of its head. OUTPUT: the
	   total of an arc is the total of its tail. NONE: there are no totals,
	   and weights stay as they are. */
	enum apsp_normalise normalise;
	const double *of; /* for each vertex, its total; NaN: the vertex has no
			     total */
	/* the array to which `of` points, if the totals are sums; owned; NULL:
	   the totals are in the graph file */
	double *sums;
};

/*
 * Find the totals of the vertices. If the profile's option normalise_by names
 * an attribute, the values of this attribute are the totals; some may be NaN or
 * below 0. Otherwise the totals are the sums of the weights of the arcs to each
 * vertex, or from each vertex, as the profile says. `rows` are all merged arcs,
 * self-loops included. All weights must be 0 or more. Each total is the exact
 * sum, rounded once, so it does not depend on the order of the arcs. Runs on
 * all processors. Needs 8 bytes for each vertex, and for input totals another
 * 10 bytes for each arc until the function returns. The caller ends *out with
 * apsp_totals_done(). If the graph has the totals, *out borrows them, so the
 * graph must outlive *out.
 *
 * APSP_EDATA: a total is above the largest double. APSP_ENOMEM.
 */
int apsp_totals_build(const struct apsp_graph *graph,
	const struct apsp_arc_rows *rows, struct apsp_totals *out,
	struct apsp_err *err);
void apsp_totals_done(struct apsp_totals *totals);

/* Return the total of the arc from `tail` to `head`. */
static inline double apsp_totals_of(
	const struct apsp_totals *totals, uint32_t tail, uint32_t head)
{
	return totals
		->of[totals->normalise == APSP_NORMALISE_INPUT ? head : tail];
}

/* Return the value that the transform gets: the weight, or its share of the
   arc's total. */
static inline double apsp_totals_share(const struct apsp_totals *totals,
	uint32_t tail, uint32_t head, double weight)
{
	return totals->normalise == APSP_NORMALISE_NONE
		       ? weight
		       : weight / apsp_totals_of(totals, tail, head);
}

#endif
