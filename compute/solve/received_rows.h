/*
 * Proves a table file that came in a bundle (compute/solve/README.md, Received
 * tables). The rows are read from the file, and must pass the same proofs as
 * rows that a solver has computed. All other sections are made again, and
 * compared with the file: arcs, closure, statistics and betweenness.
 */
#ifndef APSP_COMPUTE_SOLVE_RECEIVED_ROWS_H
#define APSP_COMPUTE_SOLVE_RECEIVED_ROWS_H

#include <stdint.h>

#include "compute/progress.h"
#include "compute/solve/prepared_graph.h"
#include "daemon/base/err.h"

struct apsp_received_rows {
	/* the graph, with its closure */
	struct apsp_prepared_graph *prepared;
	struct apsp_progress *progress;
	const char *path; /* path of the table file */
	/* with prove=seed, selects the rows that are compared with all arcs */
	uint32_t proof_seed;
};

/*
 * Prove the file. prepared->graph.prove decides whether all rows are compared
 * with all arcs, or only some rows. Returns 0. APSP_EDATA: the file is refused;
 * the message says why, and names the file in the bundle. APSP_ECANCELLED: a
 * stop was requested. APSP_ENOMEM, APSP_EIO.
 */
int apsp_received_rows_prove(
	const struct apsp_received_rows *received, struct apsp_err *err);

#endif
