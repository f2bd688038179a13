/*
 * The weights that rules (profile.h) accept.
 */
#ifndef APSP_DAEMON_JOB_PROFILE_DOMAIN_H
#define APSP_DAEMON_JOB_PROFILE_DOMAIN_H

#include <stdbool.h>

#include "daemon/job/profile.h"

/* Return a transform's domain as a phrase for messages: "inv needs a weight
   above 0". NaN and infinity are in no domain. */
const char *apsp_transform_domain(enum apsp_transform transform);

/*
 * Whether a rule accepts an uploaded weight. Without normalise, the rule
 * accepts weights that apsp_profile_accepts_value() accepts. With normalise,
 * only the share of the weight reaches the transform, so the rule accepts every
 * weight above 0, and the weight 0 if a share of 0 has a length.
 */
bool apsp_profile_accepts(const struct apsp_profile *profile, double weight);

/* Return the weights that a rule accepts, as a phrase for messages: "inv needs
   a weight above 0", "normalise needs a weight of 0 or more". */
const char *apsp_profile_domain(const struct apsp_profile *profile);

/*
 * Whether a rule accepts a value that its transform gets: a merged weight or,
 * with normalise, a share. The value must be in the transform's domain, and
 * path=widest accepts only values above 0.
 */
bool apsp_profile_accepts_value(
	const struct apsp_profile *profile, double value);

/* Return the values that apsp_profile_accepts_value() accepts, as a phrase for
   messages: "path=widest needs a weight above 0". */
const char *apsp_profile_value_domain(const struct apsp_profile *profile);

#endif
