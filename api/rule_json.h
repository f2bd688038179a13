/*
 * The rule of a profile (daemon/job/profile.h) as JSON.
 */
#ifndef APSP_API_RULE_JSON_H
#define APSP_API_RULE_JSON_H

#include <jansson.h>

#include "daemon/job/profile.h"

/* Return an object with all options of a rule. The caller passes NULL if the
   rule cannot be read; then every option is null. Returns NULL if there is no
   memory. */
json_t *apsp_profile_rule_json(const struct apsp_profile *rule);

#endif
