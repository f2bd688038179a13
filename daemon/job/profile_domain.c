/*
 * Compares weights with the domains of transforms and rules; see
 * profile_domain.h.
 */
#include "daemon/job/profile_domain.h"

#include <math.h>
#include <stddef.h>

/* Return NULL if a value is in the domain of a transform. Otherwise return the
   domain as a phrase. */
static const char *transform_refusal(
	enum apsp_transform transform, double value)
{
	switch (transform) {
	case APSP_TRANSFORM_NONE:
		return isfinite(value) ? NULL : "none needs a finite weight";
	case APSP_TRANSFORM_HOPS:
		return isfinite(value) && value != 0
			       ? NULL
			       : "hops needs a weight other than 0";
	case APSP_TRANSFORM_INV:
		if (!isfinite(value) || value <= 0)
			return "inv needs a weight above 0";
		return isfinite(1 / value)
			       ? NULL
			       : "inv needs a weight whose inverse is finite";
	case APSP_TRANSFORM_LOG:
		return value > 0 && value <= 1
			       ? NULL
			       : "log needs a weight above 0 and at most 1, a "
				 "probability (lognorm takes counts, and "
				 "normalise=input makes shares of them)";
	case APSP_TRANSFORM_LOGNORM:
		break;
	}
	return isfinite(value) && value > 0 ? NULL
					    : "lognorm needs a weight above 0";
}

const char *apsp_profile_value_refusal(
	const struct apsp_profile *profile, double value)
{
	/* a sum of weights may be infinite; do not accept it as a weight above
	 * 0 */
	if (isinf(value))
		return "every rule needs a finite weight";
	if (profile->path == APSP_PATH_WIDEST)
		return value > 0 ? NULL : "path=widest needs a weight above 0";
	return transform_refusal(profile->transform, value);
}

const char *apsp_profile_refusal(
	const struct apsp_profile *profile, double weight)
{
	bool accepts_0;

	if (profile->normalise == APSP_NORMALISE_NONE)
		return apsp_profile_value_refusal(profile, weight);
	if (isfinite(weight) && weight > 0)
		return NULL;
	accepts_0 = !apsp_profile_value_refusal(profile, 0);
	if (weight == 0 && accepts_0)
		return NULL;
	return accepts_0 ? "normalise needs a weight of 0 or more"
			 : "normalise with this transform or path "
			   "needs a weight above 0";
}

bool apsp_profile_may_spare(const struct apsp_profile *profile, double weight)
{
	const bool shares = profile->normalise != APSP_NORMALISE_NONE;

	switch (profile->duplicates) {
	case APSP_DUPLICATES_LAST:
		return true;
	case APSP_DUPLICATES_MAX:
		/* of the arcs of a pair of vertices, the largest weight is
		   kept, so a weight that is too small does no harm if the pair
		   has a larger one */
		if (weight < 1)
			return true;
		break;
	case APSP_DUPLICATES_MIN:
		/* Of the arcs of a pair of vertices, the smallest weight is
		   kept. So a weight that is too large does no harm if the pair
		   has a smaller one. With `hops`, the same is true of the
		   weight 0, because `hops` accepts negative weights. */
		if (weight > 1 ||
			(!shares && profile->transform == APSP_TRANSFORM_HOPS))
			return true;
		break;
	case APSP_DUPLICATES_SUM:
	case APSP_DUPLICATES_ERROR:
		break;
	}
	if (shares && weight < 0)
		return false;
	return *profile->without ||
	       (profile->has_min_weight && weight < profile->min_weight) ||
	       (shares && weight == 0 && profile->has_min_share &&
		       profile->min_share > 0);
}
