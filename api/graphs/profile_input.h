/*
 * A profile's rule as clients send it, in a JSON object or in the query of an
 * upload. daemon/job/profile.h lists the options.
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
#include "storage/ingest/upload/upload.h"
#include "storage/snapshots/precondition.h"

/*
 * Read the options in the request's body and make a rule from them. `kept` is
 * the present rule of the graph's profile `default`, or NULL. If the body has
 * neither a transform nor path=widest, missing options are copied from `kept`:
 * all of them if `is_default` is true, else only the transform and the path. If
 * the new rule then has the transform and the path of `kept`, and the body has
 * no `duplicates`, this option is copied, too. APSP_EMALFORMED: a member is
 * wrong, and the error reply (problem) then has a JSON pointer to this member;
 * or the algorithm is refused. APSP_ETRANSFORM: `kept` has path=widest, which
 * does not say whether weights are lengths, and the body has another path and
 * no transform.
 */
int apsp_profile_input_json(struct apsp_request *req, json_t *body,
	const struct apsp_profile *kept, bool is_default,
	struct apsp_profile *out, struct apsp_err *err);

/*
 * Read the options of a rule in the query of an upload, and set the rule in
 * *out. `origin` is the stored upload from which the graph is made (?of=), or
 * NULL. Options that the query lacks may be copied from another rule:
 *
 * - If the query has a transform or path=widest, nothing is copied. But with
 *   ?match=, `duplicates` is copied from the rule of `origin`, if the new rule
 *   has the transform and the path of that rule.
 * - Otherwise, if the graph exists, all options are copied from the rule of the
 *   graph's profile `default`.
 * - Otherwise, if there is an `origin`, all options are copied from its rule.
 *   But with ?by=, only the transform and the path are copied.
 * - Otherwise, nothing is copied. The upload's contents decide the transform
 *   later (out->transform_unsaid).
 *
 * With weight_column=count, `duplicates` is `sum` unless the query has it.
 *
 * APSP_EMALFORMED: an option has a bad value. APSP_ETRANSFORM: the other rule
 * has path=widest, and the query has another path and no transform.
 */
int apsp_profile_input_query(struct apsp_request *req,
	const struct apsp_generation *origin, struct apsp_upload_options *out,
	struct apsp_err *err);

/*
 * Check the name of the profile's algorithm. The name "" is accepted: the
 * solver then chooses the algorithm. APSP_EMALFORMED: there is no such
 * algorithm (the message lists all algorithms), or the algorithm can only count
 * arcs and the transform is not hops.
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
