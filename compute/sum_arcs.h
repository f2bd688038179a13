/*
 * The predecessors' arcs by head with their real lengths: those that paths are
 * summed over.
 */
#ifndef APSP_COMPUTE_SUM_ARCS_H
#define APSP_COMPUTE_SUM_ARCS_H

#include <stdint.h>

#include "compute/lengths.h"
#include "compute/predecessor.h"
#include "daemon/base/err.h"

/* Sorted by head, then tail. All arrays owned. */
struct apsp_sum_arcs {
	uint32_t n_vertices;
	uint64_t *offsets; /* n_vertices + 1 */
	uint32_t *tails;
	double *lengths;
};

/*
 * In the order that the predecessors have on their device. lengths are those
 * that these were opened with. Blocks. APSP_ENOMEM, APSP_EDEVICE.
 */
int apsp_sum_arcs_load(const struct apsp_predecessors *predecessors,
	const struct apsp_lengths *lengths, struct apsp_sum_arcs *out,
	struct apsp_err *err);
void apsp_sum_arcs_done(struct apsp_sum_arcs *arcs);

#endif
