/*
 * What is known of an upload's weights, one by one, before a rule makes lengths
 * of them: whether tables of whole numbers may come of it, which take less room
 * than those of reals.
 */
#ifndef APSP_BASE_WEIGHTS_H
#define APSP_BASE_WEIGHTS_H

#include "daemon/base/profile.h"
#include "daemon/base/table_file.h"

/* A set; 0: nothing is known of them, or all are 1. */
enum apsp_weights {
	APSP_WEIGHTS_FRACTION = 1, /* some are not whole */
	APSP_WEIGHTS_NEGATIVE = 2,
	APSP_WEIGHTS_INVERSE_FRACTION = 4, /* of some, 1/w is not whole */
	APSP_WEIGHTS_NOT_ONE = 8,
};

/* What one weight adds to the set. */
unsigned int apsp_weights_of(double weight);

/*
 * The least element of distances that tables of such weights may come to under
 * a rule (design.md, decision 7): U16, for I32 the V of negative lengths, F32
 * or F64 for reals. Where a rule leaves arcs out, nobody knows which are left.
 * That several arcs of one pair are whole together but not each, or lengths by
 * logarithm though weights are not 1, is not reckoned with.
 */
enum apsp_element apsp_weights_least(
	unsigned int weights, const struct apsp_profile *rule);

#endif
