/*
 * The rule of a profile as JSON.
 */
#ifndef APSP_API_RULE_JSON_H
#define APSP_API_RULE_JSON_H

#include <jansson.h>

#include "daemon/job/profile.h"

/* Return the options of a rule as an object. If the rule cannot be read, `rule`
   is NULL, and every option of the object is null. Returns NULL if there is no
   memory. */
json_t *apsp_profile_rule_json(const struct apsp_profile *rule);

#endif
