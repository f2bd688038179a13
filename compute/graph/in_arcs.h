/*
 * The arcs grouped by head: the vertices that have an arc to v.
 */
#ifndef APSP_COMPUTE_GRAPH_IN_ARCS_H
#define APSP_COMPUTE_GRAPH_IN_ARCS_H

#include <stdint.h>

#include "compute/graph/lengths.h"
#include "daemon/base/err.h"

/* Sorted by head, then tail. All arrays owned. */
struct apsp_in_arcs {
	uint64_t *offsets; /* n_vertices + 1 */
	uint32_t *tails;
	uint32_t *ranks; /* each arc's place in the row of its tail */
};

/* Linear time. APSP_ENOMEM. */
int apsp_in_arcs_build(const struct apsp_lengths *lengths,
	struct apsp_in_arcs *out, struct apsp_err *err);
void apsp_in_arcs_done(struct apsp_in_arcs *in_arcs);

#endif
