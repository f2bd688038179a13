/*
 * The ranks of weights, for path=widest: the largest weight has the rank 1, and
 * equal weights have equal ranks. If the profile says `normalise`, the shares
 * are ranked instead of the weights. Algorithms compare ranks instead of
 * weights, so that values in the distance matrix need only 16 or 32 bits
 * (compute/graph/README.md, Widest paths).
 */
#ifndef APSP_COMPUTE_GRAPH_WEIGHT_RANKS_H
#define APSP_COMPUTE_GRAPH_WEIGHT_RANKS_H

#include <stdint.h>

#include "daemon/base/err.h"

/* The ranks of all arcs, and the value of each rank. Both arrays are owned. */
struct apsp_weight_ranks {
	double *ranks;	/* for each arc, the rank of its value */
	double *ladder; /* the value of each rank; ladder[r - 1] has rank r */
	uint64_t n_ranks;
};

/*
 * Find the ranks of the n values, which are weights or shares above 0. Sorts on
 * all processors, in linear time. Needs 24 bytes for each value in addition to
 * the result. The caller owns the arrays of *out. APSP_ENOMEM. APSP_EPROOF: the
 * ranks are wrong (apsp_weight_ranks_check()).
 */
int apsp_weight_ranks_make(const double *values, uint64_t n,
	struct apsp_weight_ranks *out, struct apsp_err *err);

/*
 * Prove ranks: the ladder descends, and each of the n values is the value of
 * its rank. All proofs of the tables take ranks for lengths, so only this proof
 * finds a wrong rank. APSP_EPROOF.
 */
int apsp_weight_ranks_check(const double *values, uint64_t n,
	const struct apsp_weight_ranks *ranks, struct apsp_err *err);

#endif
