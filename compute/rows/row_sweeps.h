/*
 * Computes the rows of several sources together, on one thread. Method: the
 * algorithm of Bellman and Ford, in sweeps over all vertices. For each vertex,
 * the distances from all these sources lie side by side in memory, so that one
 * access to a vertex serves all sources. In graphs whose shortest paths have
 * few arcs, sweeps are several times as fast as one search after another.
 */
#ifndef APSP_COMPUTE_ROWS_ROW_SWEEPS_H
#define APSP_COMPUTE_ROWS_ROW_SWEEPS_H

#include <stdbool.h>
#include <stddef.h>

#include "compute/rows/row_graph.h"
#include "compute/rows/row_order.h"
#include "daemon/base/err.h"

enum {
	APSP_ROW_SWEEPS_LANES = 32,
	/* If a thread has fewer rows than this, searches are faster: a sweep
	   takes as long for one row as for 32 rows. */
	APSP_ROW_SWEEPS_LEAST = 8,
};

struct apsp_row_sweeps;

/* Whether sweeps are expected to be faster than searches in this graph. This is
   so if the graph has many arcs for each vertex, and if the integers of its
   arcs fit 32 bits. */
bool apsp_row_sweeps_pay(const struct apsp_row_graph *graph);

/* The caller ends *out with apsp_row_sweeps_free(). APSP_ENOMEM. */
int apsp_row_sweeps_new(const struct apsp_row_graph *graph,
	struct apsp_row_sweeps **out, struct apsp_err *err);
void apsp_row_sweeps_free(struct apsp_row_sweeps *sweeps);

/*
 * Compute the rows of n sources, at most APSP_ROW_SWEEPS_LANES, and prove them
 * as row_solve.h says. Each order is the request for one row (row_order.h). For
 * each computed row, the order's member `done` becomes true, and the order gets
 * its result. A row is not computed, and its order is not changed, if some path
 * in the row has too many arcs, or if the integer distance of some path does
 * not fit 32 bits.
 */
void apsp_row_sweeps_run(struct apsp_row_sweeps *sweeps,
	struct apsp_row_order *orders, size_t n);

#endif
