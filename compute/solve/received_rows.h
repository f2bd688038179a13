/*
 * Proves a table file that came in a bundle (compute/solve/README.md, Received
 * tables). Everything but the rows is made again from the arcs and compared
 * with the file: arcs, closure, statistics and betweenness. The rows are read
 * from the file, and pass the proofs of rows that a solver has made.
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
	const char *path;    /* of the table file */
	uint32_t proof_seed; /* draws the rows that are compared with all arcs
			      */
};

/*
 * Prove the file. graph.prove of the prepared graph says how. Returns 0.
 * APSP_EDATA: the file is refused; the message is a sentence with the name of
 * the bundle's member. APSP_ECANCELLED, APSP_ENOMEM, APSP_EIO.
 */
int apsp_received_rows_prove(
	const struct apsp_received_rows *received, struct apsp_err *err);

#endif
