/*
 * Computes rows on demand (enum apsp_demand). A row of the kind
 * APSP_DEMAND_FROM says which vertices a vertex reaches, and has the
 * predecessors on the shortest paths. A row of the kind APSP_DEMAND_TO says
 * which vertices reach a vertex. A row of the kind APSP_DEMAND_COLUMN has the
 * first arcs of the shortest paths to a vertex (row_column.h). Each row is
 * proved before the caller gets it.
 */
#ifndef APSP_COMPUTE_ROWS_ROW_SOLVE_H
#define APSP_COMPUTE_ROWS_ROW_SOLVE_H

#include <stddef.h>

#include "compute/rows/row_graph.h"
#include "compute/rows/row_order.h"
#include "daemon/base/err.h"

struct apsp_row_solver;

/* Make a solver for `graph`. The graph is borrowed. The solver's memory grows
   with use. The caller ends *out with apsp_row_solver_free(). APSP_ENOMEM. */
int apsp_row_solver_new(const struct apsp_row_graph *graph,
	struct apsp_row_solver **out, struct apsp_err *err);
void apsp_row_solver_free(struct apsp_row_solver *solver); /* accepts NULL */

/*
 * Compute n rows of one kind (enum apsp_demand) on all processors. Each row has
 * its own result. Rows are computed together by sweeps (row_sweeps.h) if that
 * is expected to be faster, otherwise one by one (row_search.h).
 *
 * The arcs prove the integer distances. Each arc to a vertex gives a sum: the
 * arc's integer length plus the distance of the arc's tail. The distance of the
 * vertex must be the minimum of these sums. These conditions are Bellman's
 * equations. They have only one solution, because every cycle of arcs is longer
 * than 0. The predecessor is the first tail that gives the minimum
 * (storage/tables/README.md, The tie rule). The distances of the paths to a
 * vertex are proved by arcs, too (row_column.h).
 *
 * done() is called once for each order (request to compute a row), as soon as
 * its row is ready or has failed. Only one thread calls done() at a time.
 * `done` may be NULL.
 *
 * Results: APSP_EOVERFLOW: the integer distance of a path does not fit 62 bits,
 * or a path has too many arcs for the scale. APSP_EPROOF: a proof has failed.
 * APSP_ENOMEM.
 */
void apsp_row_solve(struct apsp_row_solver *solver,
	struct apsp_row_order *orders, size_t n,
	void (*done)(void *ctx, const struct apsp_row_order *order), void *ctx);

#endif
