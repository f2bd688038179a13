/*
 * `reference` as an algorithm: Dijkstra on the host makes rows, which are
 * judged by the rules of a device's rows (download.h) and appended to the
 * tables.
 */
#ifndef APSP_COMPUTE_TABLES_HOST_SOLVE_H
#define APSP_COMPUTE_TABLES_HOST_SOLVE_H

#include "compute/graph/integers.h"
#include "compute/graph/lengths.h"
#include "compute/progress.h"
#include "compute/tables/table_rows.h"
#include "compute/tables/verdict.h"
#include "daemon/base/err.h"

/*
 * Solve all rows. element is V's. Returns an enum apsp_verdict, or APSP_ENOMEM,
 * APSP_ECANCELLED and the codes of apsp_table_rows_append().
 */
int apsp_host_solve_run(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, enum apsp_element element,
	struct apsp_progress *progress, struct apsp_table_rows *rows,
	struct apsp_err *err);

#endif
