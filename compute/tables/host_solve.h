/*
 * The algorithm `reference`: Dijkstra's algorithm (1959) from every vertex, on
 * the host, in integers of 64 bits. The algorithm is simple and needs no
 * device, so other algorithms can be compared with it. It chooses predecessors
 * by the tie rule (storage/tables/README.md, The tie rule). Its rows are proved
 * when they are written to the file, like the rows that a device computes
 * (table_rows.h).
 */
#ifndef APSP_COMPUTE_TABLES_HOST_SOLVE_H
#define APSP_COMPUTE_TABLES_HOST_SOLVE_H

#include "compute/progress.h"
#include "compute/tables/table_rows.h"
#include "compute/tables/verdict.h"
#include "daemon/base/err.h"

/* Compute all rows and append them to *rows. Returns an enum apsp_verdict.
   APSP_ENOMEM; APSP_ECANCELLED; the errors of apsp_table_rows_append(). */
int apsp_host_solve_run(struct apsp_table_rows *rows,
	struct apsp_progress *progress, struct apsp_err *err);

#endif
