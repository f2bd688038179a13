/*
 * Facts about an upload's arcs, collected while the upload is read. Those about
 * weights bound from below the room that tables will take: tables of whole
 * distances are smaller than tables of reals. One is about where arcs begin:
 * around hubs, estimates expect fewer arcs of use.
 */
#ifndef APSP_DAEMON_BASE_WEIGHTS_H
#define APSP_DAEMON_BASE_WEIGHTS_H

#include <stdint.h>

#include "daemon/base/profile.h"
#include "daemon/base/table_file.h"

/* A set of facts. Empty: all weights are 1 and there are no hubs, or nothing is
   known. */
enum apsp_weights {
	APSP_WEIGHTS_FRACTION = 1,	   /* some w is not whole */
	APSP_WEIGHTS_NEGATIVE = 2,	   /* some w is below 0 */
	APSP_WEIGHTS_INVERSE_FRACTION = 4, /* some 1/w is not whole */
	APSP_WEIGHTS_NOT_ONE = 8,	   /* some w is not 1 */
	APSP_WEIGHTS_ABOVE_ONE = 16,	   /* some w is above 1 */
	APSP_WEIGHTS_SUM_ABOVE_ONE = 32,   /* some pair's w sum to more */
	/*
	 * Few vertices have most of the arcs: of n vertices that have m arcs,
	 * n * (sum of squared out-degrees) / m² is APSP_WEIGHTS_HUBS_LEAST or
	 * more. It is 1 where all have as many: rmat:14:32 24, rmat:12:32 15,
	 * rmat:9:32 8; celegans 1.7, larva 1.6, rome99 1.1, random graphs and
	 * grids 1.0. Uploads of old databases do not have the bit.
	 */
	APSP_WEIGHTS_HUBS = 64,
	/* Some |w| is from 2 to 4; one bit more for each twice as large, up to
	   2^APSP_WEIGHTS_SIZES and more. Uploads of old databases have none. */
	APSP_WEIGHTS_FROM_TWO = 256,
};

enum {
	APSP_WEIGHTS_SIZES = 22,
	APSP_WEIGHTS_HUBS_LEAST = 4,
};

/* The facts that one weight adds to the set; sums are the caller's. */
unsigned int apsp_weights_of(double weight);

/*
 * The fact that out-degrees add to the set: APSP_WEIGHTS_HUBS, or 0. squares is
 * the sum of their squares. Self-loops do not count.
 */
unsigned int apsp_weights_of_degrees(
	uint64_t n_vertices, uint64_t n_arcs, double squares);

/*
 * A bound of |w|, at most twice the largest; 0: no weight is known to be from 2
 * on, and all may be ones, fractions, or of an old database.
 */
double apsp_weights_most(unsigned int weights);

/*
 * The narrowest element that distances may have for such weights under a rule
 * (compute/graph/README.md, Widths): U16, I32 for negative lengths, F32 or F64
 * for reals. If the rule may drop arcs, the weights that remain are unknown and
 * nothing is concluded from the set. Two rare cases are ignored: fractions of
 * one pair whose sum is whole, and logarithms that are whole.
 */
enum apsp_element apsp_weights_least(
	unsigned int weights, const struct apsp_profile *rule);

/*
 * Whether such weights may have lengths under a rule. APSP_EDATA: some weight
 * surely has none, so that a job would fail: log of a weight, or of the weights
 * of a pair together, above 1. Where the rule drops arcs or takes one of
 * several, nothing is sure.
 */
int apsp_weights_check(unsigned int weights, const struct apsp_profile *rule,
	struct apsp_err *err);

#endif
