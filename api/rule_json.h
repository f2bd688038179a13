/*
 * The rule of a profile as JSON.
 */
#ifndef APSP_API_RULE_JSON_H
#define APSP_API_RULE_JSON_H

#include <jansson.h>

#include "daemon/job/profile.h"

/* Returns the options of a rule as an object. `rule` is NULL if the rule cannot
   be read; then every option is null. NULL: out of memory. */
json_t *apsp_profile_rule_json(const struct apsp_profile *rule);

#endif
