/*
 * A profile's rule as clients send it in a JSON object. daemon/job/profile.h
 * lists the options. upload_input.h reads these options from a query.
 *
 * With the argument default_rule=replace, the client consents to a new rule of
 * the profile `default`. storage/snapshots/default_rule.h decides which rules
 * are refused without this consent.
 */
#ifndef APSP_API_GRAPHS_PROFILE_INPUT_H
#define APSP_API_GRAPHS_PROFILE_INPUT_H

#include <jansson.h>
#include <stdbool.h>

#include "api/http/request.h"
#include "daemon/base/err.h"
#include "daemon/job/profile.h"
#include "storage/snapshots/precondition.h"

/* Whether a client's options ask for widest paths. */
bool apsp_profile_input_is_widest(const struct apsp_profile_texts *said);

/*
 * Make a rule from the options that a client sent. `kept` is the present rule
 * of the graph's profile `default`, or NULL. If the client sent a transform, or
 * path=widest (which has no transform), nothing is taken from `kept`.
 * Otherwise, a rule for `default` takes all missing options from `kept`. A rule
 * for another profile takes only the transform and the path, because these two
 * options define the meaning of weights. APSP_EMALFORMED: an option has a bad
 * value. APSP_ETRANSFORM: `kept` has path=widest, which does not say whether
 * weights are lengths, and the client sent another path without a transform.
 */
int apsp_profile_input_parse(const struct apsp_profile_texts *said,
	const struct apsp_profile *kept, bool is_default,
	struct apsp_profile *out, struct apsp_err *err);

/* If `said` has no option `duplicates`, and the rule has the path and the
   transform of `kept`, take this option from `kept`: it may be the value that
   suits the file, as `sum` suits counted rows. Without `kept` (NULL), do
   nothing. */
void apsp_profile_input_duplicates(const struct apsp_profile_texts *said,
	const struct apsp_profile *kept, struct apsp_profile *rule);

/*
 * Read the options in the request's body and make a rule from them
 * (apsp_profile_input_parse(), apsp_profile_input_duplicates()).
 * APSP_EMALFORMED: a member is wrong, and the error reply (problem) then has a
 * JSON pointer to this member; or the algorithm is refused.
 */
int apsp_profile_input_json(struct apsp_request *req, json_t *body,
	const struct apsp_profile *kept, bool is_default,
	struct apsp_profile *out, struct apsp_err *err);

/*
 * Check the name of the profile's algorithm. APSP_EMALFORMED: there is no such
 * algorithm (the message lists all), or the algorithm can only count arcs and
 * the transform is not hops. The name "" is accepted: the solver then chooses
 * the algorithm.
 */
int apsp_profile_input_algorithm(const struct apsp_request *req,
	const struct apsp_profile *profile, struct apsp_err *err);

/*
 * Read the query argument default_rule, and store in *out whether the client
 * consents to a new rule. APSP_EMALFORMED: the argument's value is not
 * `replace`.
 */
int apsp_rule_consent_read(const struct apsp_request *req,
	struct apsp_precondition *out, struct apsp_err *err);

/*
 * Check early whether the store will accept the rule `said`. APSP_ERULE: the
 * rule needs the client's consent (default_rule=replace), which is missing. The
 * error reply (problem) then has the graph's rule and the rule `said`.
 */
int apsp_rule_consent_check(struct apsp_request *req,
	const struct apsp_profile *said, const struct apsp_precondition *wanted,
	struct apsp_err *err);

/*
 * Call this when a request fails with APSP_ERULE. It adds the graph's rule and
 * the refused rule `said` to the error reply (problem).
 */
void apsp_rule_consent_explain(
	struct apsp_request *req, const struct apsp_profile *said);

#endif
