/*
 * Units of weights and lengths, such as "synapses" or "mm". A graph has the
 * unit of its weights. The unit of lengths follows from this unit and from the
 * rule that makes lengths. A unit is only shown, and never changes a number.
 */
#ifndef APSP_DAEMON_JOB_UNIT_H
#define APSP_DAEMON_JOB_UNIT_H

#include "daemon/base/err.h"
#include "daemon/job/profile.h"

enum {
	APSP_UNIT_SIZE = 64, /* bytes of a unit of weights with its NUL */
	APSP_LENGTH_UNIT_SIZE = APSP_UNIT_SIZE + 4, /* with "1/(" and ")" */
};

/*
 * Store a unit in out. "" means that the unit is not known. APSP_EMALFORMED:
 * the text is longer than APSP_UNIT_SIZE - 1 bytes, is not UTF-8, or has
 * control characters or a blank at one of its ends; out is unchanged.
 */
int apsp_unit_set(
	char out[APSP_UNIT_SIZE], const char *text, struct apsp_err *err);

/*
 * Write the unit of the lengths or widths that a rule makes from weights with
 * the unit `weight_unit`. The result is "" for shares and logarithms, which are
 * pure numbers. The result is also "" if `weight_unit` is "", except for hops.
 * Examples for the unit "synapses":
 *
 *	none, widest	synapses
 *	inv		1/synapses
 *	hops		arcs
 */
void apsp_unit_of_lengths(const struct apsp_profile *rule,
	const char *weight_unit, char out[APSP_LENGTH_UNIT_SIZE]);

#endif
