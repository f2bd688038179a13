/*
 * The task of `apsp-solve --rows FILE`: compute rows of a table file when the
 * worker asks for them (compute/rows). The task uses no device. The worker
 * starts the process with a file in memory as descriptor 3. When the process
 * has loaded FILE, it prints an event `done`. Then the worker sends lines:
 *
 *	demand 0 vertices 17,4,2230
 *
 * The number after `demand` is an enum apsp_demand, which says what kind of
 * rows the worker wants. A line has at most APSP_ROW_BATCH_MAX vertices. Their
 * rows are stored in descriptor 3, one after another. Each row has a slot of
 * apsp_demand_bytes() bytes. When a row is finished, the process prints an
 * event `row` with the number of its slot, and with its checksum or an error.
 * After the last row of a line, it prints an event `done`.
 */
#ifndef APSP_COMPUTE_SOLVE_ROWS_MAIN_H
#define APSP_COMPUTE_SOLVE_ROWS_MAIN_H

#include "compute/solve/solver_options.h"

/* Compute rows until stdin ends. An error is reported as an event. Fails as
   apsp_row_graph_open() does; APSP_EIO: descriptor 3 cannot be mapped;
   APSP_EDATA: a line is malformed. */
int apsp_rows_main_run(const struct apsp_solver_options *options);

#endif
