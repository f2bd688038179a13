/*
 * Proves four statistics of each vertex: the number of vertices that it
 * reaches, the number of vertices that reach it, its strongly connected
 * component, and its weakly connected component. The first three are compared
 * with the closure (the matrix of bits that says which vertex reaches which)
 * and the closure's transpose, the last with the arcs. stat_samples.h proves
 * the two numbers of some vertices only, and no components.
 */
#ifndef APSP_COMPUTE_TABLES_VERTEX_PROOF_H
#define APSP_COMPUTE_TABLES_VERTEX_PROOF_H

#include <stdint.h>

#include "compute/bits.h"
#include "compute/graph/lengths.h"
#include "daemon/base/err.h"

/* Statistics of each vertex, counted in the closure and its transpose. The
   arrays share one block of memory, which `reaches` owns. */
struct apsp_vertex_facts {
	uint32_t *reaches;    /* number of vertices that it reaches */
	uint32_t *reached_by; /* number of vertices that reach it */
	/* the least vertex that reaches it and that it reaches */
	uint32_t *strong;
};

/* Read the facts of all vertices from the closure and its transpose. The caller
   ends *out with apsp_vertex_facts_done(). APSP_ENOMEM. */
int apsp_vertex_facts_find(const struct apsp_bits *closure,
	const struct apsp_bits *transposed, struct apsp_vertex_facts *out,
	struct apsp_err *err);
void apsp_vertex_facts_done(struct apsp_vertex_facts *facts);

/*
 * Compare the statistics REACHES, REACHED_BY, STRONG and WEAK of all vertices
 * with the facts and with the arcs. `vertices` has the content of
 * APSP_SECTION_VERTEX_STATS. Reads every arc at most twice. APSP_EPROOF: a
 * statistic is wrong; the message names the vertex, except for WEAK.
 * APSP_ENOMEM.
 */
int apsp_vertex_proof_check(const struct apsp_lengths *lengths,
	const struct apsp_vertex_facts *facts, const double *vertices,
	struct apsp_err *err);

#endif
