/*
 * The arcs among which predecessors are searched, sorted by head, with the real
 * lengths that are added up to path sums (sums.h).
 */
#ifndef APSP_COMPUTE_TABLES_SUM_ARCS_H
#define APSP_COMPUTE_TABLES_SUM_ARCS_H

#include <stdint.h>

#include "compute/graph/lengths.h"
#include "compute/tables/predecessors.h"
#include "daemon/base/err.h"

/* Arcs sorted by head; the arcs to one head are sorted by tail. All arrays are
   owned. */
struct apsp_sum_arcs {
	uint32_t n_vertices;
	uint64_t *offsets; /* n_vertices + 1 elements */
	uint32_t *tails;
	double *lengths;
};

/*
 * Read the arcs of `predecessors` back from the device, and store them in the
 * same order in *out. Also store the real length of each arc, which comes from
 * `lengths`. `predecessors` must have been opened with `lengths`. The call
 * waits for the device. The caller ends *out with apsp_sum_arcs_done().
 * APSP_EPROOF: the arcs that were read, with their lengths, are not the
 * selected arcs of the graph; APSP_ENOMEM, APSP_EDEVICE.
 */
int apsp_sum_arcs_load(const struct apsp_predecessors *predecessors,
	const struct apsp_lengths *lengths, struct apsp_sum_arcs *out,
	struct apsp_err *err);
void apsp_sum_arcs_done(struct apsp_sum_arcs *arcs);

#endif
