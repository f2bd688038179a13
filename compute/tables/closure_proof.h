/*
 * The proof of two sections that are made from the closure: its transpose, and
 * the vertices on cycles. every_row_proof.h compares the closure itself with
 * the distances.
 */
#ifndef APSP_COMPUTE_TABLES_CLOSURE_PROOF_H
#define APSP_COMPUTE_TABLES_CLOSURE_PROOF_H

#include "compute/bits.h"
#include "compute/graph/lengths.h"
#include "daemon/base/err.h"

/*
 * Check that transposed has as many bits as closure, and in some rows the same
 * bits. Check that on_cycle has exactly the vertices with a self-loop and the
 * vertices with an arc to a vertex that reaches them. Reads every arc once.
 * APSP_EPROOF: the message names a vertex.
 */
int apsp_closure_proof_check(const struct apsp_lengths *lengths,
	const struct apsp_bits *closure, const struct apsp_bits *transposed,
	const struct apsp_bits *on_cycle, struct apsp_err *err);

#endif
