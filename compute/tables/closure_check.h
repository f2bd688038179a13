/*
 * The bits of a table file against each other. That the closure's rows are
 * right, row_check.h shows by the distances.
 */
#ifndef APSP_COMPUTE_TABLES_CLOSURE_CHECK_H
#define APSP_COMPUTE_TABLES_CLOSURE_CHECK_H

#include "compute/bits.h"
#include "compute/graph/lengths.h"
#include "daemon/base/err.h"

/*
 * Check that transposed has as many bits as closure and, in some rows, the same
 * ones; and that exactly those vertices are on_cycle that have a self-loop or
 * an arc to a vertex that leads back. Blocks for a look at every arc.
 * APSP_EPROOF: the message names a vertex.
 */
int apsp_closure_check(const struct apsp_lengths *lengths,
	const struct apsp_bits *closure, const struct apsp_bits *transposed,
	const struct apsp_bits *on_cycle, struct apsp_err *err);

#endif
