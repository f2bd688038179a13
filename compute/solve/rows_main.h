/*
 * The task of `apsp-solve --rows FILE`: compute rows of a table file when they
 * are asked for (compute/rows). It uses no device. The worker starts it with a
 * file in memory as descriptor 3, and sends lines:
 *
 *	demand 0 vertices 17,4,2230
 *
 * `demand` is an enum apsp_demand. The rows of these vertices are stored one
 * after another in descriptor 3, each at a multiple of apsp_demand_bytes()
 * rounded up to 8. For each of them, an event `row` tells its slot, and its
 * checksum or an error. The event `done` follows the last of them; a first one
 * tells that the file is loaded.
 */
#ifndef APSP_COMPUTE_SOLVE_ROWS_MAIN_H
#define APSP_COMPUTE_SOLVE_ROWS_MAIN_H

#include "compute/solve/solver_options.h"
#include "daemon/base/err.h"

enum {
	APSP_ROWS_MAIN_FD = 3,
	/* largest number of rows of one line */
	APSP_ROWS_MAIN_BATCH = 64,
};

/* Compute rows until stdin ends. The error is also reported as an event. Fails
   with the errors of apsp_row_graph_open(); APSP_EIO: descriptor 3 cannot be
   mapped; APSP_EDATA: a line is malformed. */
int apsp_rows_main_run(
	const struct apsp_solver_options *options, struct apsp_err *err);

#endif
