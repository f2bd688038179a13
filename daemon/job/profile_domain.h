/*
 * The weights that rules (profile.h) accept.
 */
#ifndef APSP_DAEMON_JOB_PROFILE_DOMAIN_H
#define APSP_DAEMON_JOB_PROFILE_DOMAIN_H

#include <stdbool.h>

#include "daemon/job/profile.h"

/*
 * Return NULL if a rule accepts an uploaded weight. Otherwise return the
 * weights that the rule accepts, as a phrase for messages: "inv needs a weight
 * above 0", "normalise needs a weight of 0 or more". Without normalise, the
 * rule accepts the weights that apsp_profile_value_refusal() accepts. With
 * normalise, the transform gets the share of the weight, which is not known
 * here. So the rule accepts every finite weight above 0, and it accepts the
 * weight 0 if a share of 0 has a length.
 */
const char *apsp_profile_refusal(
	const struct apsp_profile *profile, double weight);

/* Whether a rule drops an uploaded arc of this weight because of invalid=drop.
   These arcs are dropped before the arcs of a pair of vertices are merged. */
static inline bool apsp_profile_drops(
	const struct apsp_profile *profile, double weight)
{
	return profile->invalid == APSP_INVALID_DROP &&
	       apsp_profile_refusal(profile, weight);
}

/*
 * Do the same as apsp_profile_refusal() for a value that the transform gets: a
 * merged weight or, with normalise, a share. The value must be in the
 * transform's domain, which has neither NaN nor infinity. path=widest accepts
 * only values above 0.
 */
const char *apsp_profile_value_refusal(
	const struct apsp_profile *profile, double value);

/*
 * Whether a rule may accept an arc although it refuses the arc's uploaded
 * weight. True in two cases: another arc of the same pair of vertices may
 * replace the weight (duplicates=min, max or last), or the rule may drop the
 * arc before the transform (min_weight, without, min_share). But with
 * normalise, dropping the arc does not help if the weight is negative, because
 * such a weight has no share. With duplicates=sum, other weights of the pair do
 * not count, because the sum is known only at the end of the upload.
 */
bool apsp_profile_may_spare(const struct apsp_profile *profile, double weight);

#endif
