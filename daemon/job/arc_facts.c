/*
 * Collects facts about arcs, and finds the smallest type of table elements that
 * these facts allow; see arc_facts.h.
 */
#include "daemon/job/arc_facts.h"
#include "daemon/job/profile_domain.h"

#include <math.h>

double apsp_arc_facts_largest(unsigned int facts)
{
	for (int i = APSP_ARC_SIZES - 1; i >= 0; i--)
		if (facts & (unsigned int)APSP_ARC_FROM_TWO << i)
			return ldexp(4, i);
	return 0;
}

unsigned int apsp_arc_facts_of_weight(double weight)
{
	unsigned int facts = APSP_ARC_NOT_ONE;
	int exponent = 0;

	if (weight == 1)
		return 0;
	if (weight != rint(weight))
		facts |= APSP_ARC_FRACTION;
	if (weight < 0)
		facts |= APSP_ARC_NEGATIVE;
	if (weight > 1 || (weight > 0 && 1 / weight != rint(1 / weight)))
		facts |= APSP_ARC_INVERSE_FRACTION;
	if (weight > 1)
		facts |= APSP_ARC_ABOVE_ONE;
	if (fabs(weight) >= 2) {
		/* 2^(exponent - 1) <= |weight| < 2^exponent */
		frexp(weight, &exponent);
		exponent -= 2;
		if (exponent >= APSP_ARC_SIZES)
			exponent = APSP_ARC_SIZES - 1;
		facts |= (unsigned int)APSP_ARC_FROM_TWO << exponent;
	}
	return facts;
}

/* Whether the facts prove that the rule gives some arc a length that is not a
   whole number. */
static bool are_reals(unsigned int facts, const struct apsp_profile *rule)
{
	switch (rule->transform) {
	case APSP_TRANSFORM_NONE:
		return facts & APSP_ARC_FRACTION;
	case APSP_TRANSFORM_INV:
		return (rule->has_min_weight && rule->min_weight > 1) ||
		       facts & APSP_ARC_INVERSE_FRACTION;
	case APSP_TRANSFORM_LOG:
	case APSP_TRANSFORM_LOGNORM:
		return facts & APSP_ARC_NOT_ONE;
	case APSP_TRANSFORM_HOPS:
		break;
	}
	return false;
}

unsigned int apsp_arc_facts_of_degrees(
	uint64_t n_vertices, uint64_t n_arcs, double squares)
{
	double m = (double)n_arcs;

	return n_arcs > 0 && (double)n_vertices * squares >=
				       APSP_ARC_HUBS_LEAST * m * m
		       ? APSP_ARC_HUBS
		       : 0;
}

unsigned int apsp_arc_facts_of_in_degree(uint64_t max_in_degree)
{
	if (max_in_degree <= UINT8_MAX)
		return APSP_ARC_IN_255 | APSP_ARC_IN_65535;
	return max_in_degree <= UINT16_MAX ? APSP_ARC_IN_65535 : 0;
}

enum apsp_element apsp_arc_facts_predecessor(
	unsigned int facts, uint64_t n_vertices, uint64_t n_arcs)
{
	uint64_t most = facts & APSP_ARC_IN_255	    ? UINT8_MAX
			: facts & APSP_ARC_IN_65535 ? UINT16_MAX
						    : UINT64_MAX;

	return apsp_rank_element(n_vertices, n_arcs, most);
}

enum apsp_element apsp_arc_facts_element(
	unsigned int facts, const struct apsp_profile *rule)
{
	if (rule->normalise != APSP_NORMALISE_NONE)
		return APSP_ELEMENT_U16; /* perhaps all shares are 1 */
	if (rule->has_min_weight || rule->invalid == APSP_INVALID_DROP ||
		*rule->without || rule->path == APSP_PATH_WIDEST)
		facts = 0;
	if (are_reals(facts, rule))
		return rule->precision == APSP_PRECISION_FLOAT64
			       ? APSP_ELEMENT_F64
			       : APSP_ELEMENT_F32;
	/* U16 is the smallest type of whole distances. But negative lengths
	   need a sign bit, which U16 does not have. */
	return rule->transform == APSP_TRANSFORM_NONE &&
			       facts & APSP_ARC_NEGATIVE
		       ? APSP_ELEMENT_I32
		       : APSP_ELEMENT_U16;
}

int apsp_arc_facts_check(unsigned int facts, const struct apsp_profile *rule,
	struct apsp_err *err)
{
	const char *which = "a weight of the graph is above 1";
	bool refused = facts & APSP_ARC_ABOVE_ONE;

	if (rule->invalid != APSP_INVALID_REFUSE)
		return 0;
	if (rule->normalise != APSP_NORMALISE_NONE)
		return facts & APSP_ARC_NEGATIVE &&
				       !apsp_profile_may_spare(rule, -1)
			       ? apsp_fail(err, APSP_EDATA,
					 "a weight of the graph is below 0, "
					 "but %s (invalid=drop leaves such "
					 "arcs out)",
					 apsp_profile_refusal(rule, -1))
			       : 0;
	/* Only transform=log refuses weights above 1. The facts say that some
	   weight is above 1, but not how far. It may be the smallest number
	   above 1. So if the rule may spare that number
	   (apsp_profile_may_spare()), do not refuse the rule. */
	if (rule->transform != APSP_TRANSFORM_LOG ||
		apsp_profile_may_spare(rule, nextafter(1, 2)))
		return 0;
	if (rule->duplicates == APSP_DUPLICATES_SUM) {
		if (!refused)
			which = "the weights of two vertices' arcs, which "
				"duplicates=sum adds, sum to more than 1";
		/* do not refuse the rule if some weight is negative, because
		   such a weight may lower a sum to 1 or less */
		refused = (refused || facts & APSP_ARC_SUM_ABOVE_ONE) &&
			  !(facts & APSP_ARC_NEGATIVE);
	}
	if (!refused)
		return 0;
	return apsp_fail(err, APSP_EDATA,
		"%s, but the transform %s (invalid=drop leaves such arcs out)",
		which, apsp_profile_refusal(rule, 2));
}
