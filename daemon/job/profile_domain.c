/*
 * Compares weights with the domains of transforms and rules; see
 * profile_domain.h.
 */
#include "daemon/job/profile_domain.h"

#include <math.h>
#include <stddef.h>

/* Whether a weight is in the domain of a transform. */
static bool transform_accepts(enum apsp_transform transform, double weight)
{
	if (!isfinite(weight))
		return false;
	switch (transform) {
	case APSP_TRANSFORM_NONE:
		return true;
	case APSP_TRANSFORM_HOPS:
		return weight != 0;
	case APSP_TRANSFORM_LOG:
		return weight > 0 && weight <= 1;
	case APSP_TRANSFORM_INV:
	case APSP_TRANSFORM_LOGNORM:
		return weight > 0;
	}
	return false;
}

const char *apsp_transform_domain(enum apsp_transform transform)
{
	switch (transform) {
	case APSP_TRANSFORM_NONE:
		return "none needs a finite weight";
	case APSP_TRANSFORM_HOPS:
		return "hops needs a weight other than 0";
	case APSP_TRANSFORM_INV:
		return "inv needs a weight above 0";
	case APSP_TRANSFORM_LOG:
		return "log needs a weight above 0 and at most 1, a "
		       "probability (lognorm takes counts, and "
		       "normalise=input makes shares of them)";
	case APSP_TRANSFORM_LOGNORM:
		return "lognorm needs a weight above 0";
	}
	return NULL;
}

bool apsp_profile_accepts_value(
	const struct apsp_profile *profile, double value)
{
	return transform_accepts(profile->transform, value) &&
	       (profile->path == APSP_PATH_SHORTEST || value > 0);
}

const char *apsp_profile_value_domain(const struct apsp_profile *profile)
{
	return profile->path == APSP_PATH_WIDEST
		       ? "path=widest needs a weight above 0"
		       : apsp_transform_domain(profile->transform);
}

bool apsp_profile_accepts(const struct apsp_profile *profile, double weight)
{
	if (profile->normalise == APSP_NORMALISE_NONE)
		return apsp_profile_accepts_value(profile, weight);
	return isfinite(weight) &&
	       (weight > 0 ||
		       (weight == 0 && apsp_profile_accepts_value(profile, 0)));
}

const char *apsp_profile_domain(const struct apsp_profile *profile)
{
	if (profile->normalise == APSP_NORMALISE_NONE)
		return apsp_profile_value_domain(profile);
	return apsp_profile_accepts_value(profile, 0)
		       ? "normalise needs a weight of 0 or more"
		       : "normalise with this transform or path "
			 "needs a weight above 0";
}
