/*
 * A client's consent to replace the rule of the profile `default`: the argument
 * default_rule=replace. storage/snapshots/default_rule.h decides which rules
 * are refused without consent.
 */
#ifndef APSP_API_GRAPHS_RULE_CONSENT_H
#define APSP_API_GRAPHS_RULE_CONSENT_H

#include "api/http/request.h"
#include "daemon/job/profile.h"
#include "storage/snapshots/precondition.h"

/*
 * Read the argument default_rule into *out. The argument has no effect if no
 * consent is needed. APSP_EMALFORMED: its value is not `replace`.
 */
int apsp_rule_consent_read(const struct apsp_request *req,
	struct apsp_precondition *out, struct apsp_err *err);

/*
 * Refuse the rule `said` early if the store would refuse it later. APSP_ERULE:
 * the client must consent first; the JSON of the error then has the graph's
 * rule and the rule `said`.
 */
int apsp_rule_consent_check(struct apsp_request *req,
	const struct apsp_profile *said, const struct apsp_precondition *wanted,
	struct apsp_err *err);

/*
 * Called when a request fails with APSP_ERULE. Adds the graph's rule and the
 * refused rule `said` to the error reply (problem).
 */
void apsp_rule_consent_explain(
	struct apsp_request *req, const struct apsp_profile *said);

#endif
