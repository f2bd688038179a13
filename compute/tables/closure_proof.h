/*
 * The proof of the closure's other sections: its transpose, and which vertices
 * lie on a cycle. every_row_proof.h compares the closure itself with the
 * distances.
 */
#ifndef APSP_COMPUTE_TABLES_CLOSURE_PROOF_H
#define APSP_COMPUTE_TABLES_CLOSURE_PROOF_H

#include "compute/bits.h"
#include "compute/graph/lengths.h"
#include "daemon/base/err.h"

/*
 * Check that transposed has as many bits as closure and, in some rows, the same
 * bits; and that on_cycle has exactly the vertices with a self-loop or with an
 * arc to a vertex that leads back. Blocks for a look at every arc.
 * APSP_EPROOF: the message names a vertex.
 */
int apsp_closure_proof_check(const struct apsp_lengths *lengths,
	const struct apsp_bits *closure, const struct apsp_bits *transposed,
	const struct apsp_bits *on_cycle, struct apsp_err *err);

#endif
