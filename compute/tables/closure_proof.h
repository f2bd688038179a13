/*
 * Proves two sections of the table file that are computed from the closure (the
 * matrix of bits that says which vertex reaches which): the transpose of the
 * closure, and the set of vertices on cycles. The closure itself is proved by
 * every_row_proof.h, which compares it with the predecessors.
 */
#ifndef APSP_COMPUTE_TABLES_CLOSURE_PROOF_H
#define APSP_COMPUTE_TABLES_CLOSURE_PROOF_H

#include "compute/bits.h"
#include "compute/graph/lengths.h"
#include "daemon/base/err.h"

/*
 * Check that `transposed` and `closure` have the same number of set bits. For
 * some vertices v, check that row v of `transposed` equals column v of
 * `closure`. Check that `on_cycle` has exactly the vertices on cycles. A vertex
 * v is on a cycle if it has a self-loop or an arc to a vertex that reaches v.
 * Reads every arc once. Returns 0. APSP_EPROOF: a check fails; the message
 * names a vertex, or the two numbers of set bits if they differ.
 */
int apsp_closure_proof_check(const struct apsp_lengths *lengths,
	const struct apsp_bits *closure, const struct apsp_bits *transposed,
	const struct apsp_bits *on_cycle, struct apsp_err *err);

#endif
