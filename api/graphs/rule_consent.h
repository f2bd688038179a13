/*
 * A client's consent to another rule of `default`: default_rule=replace. What
 * is refused without it is storage's to say (storage/snapshots/default_rule.h).
 */
#ifndef APSP_API_GRAPHS_RULE_CONSENT_H
#define APSP_API_GRAPHS_RULE_CONSENT_H

#include "api/http/request.h"
#include "daemon/base/profile.h"
#include "storage/snapshots/precondition.h"

/*
 * Read default_rule=, which changes nothing where no consent is needed.
 * APSP_EMALFORMED: it is something else than `replace`.
 */
int apsp_rule_consent_read(const struct apsp_request *req,
	struct apsp_precondition *out, struct apsp_err *err);

/*
 * Refuse, before the body is read, a rule that storage would refuse.
 * APSP_ERULE; the problem then has both rules.
 */
int apsp_rule_consent_check(struct apsp_request *req,
	const struct apsp_profile *said, const struct apsp_precondition *wanted,
	struct apsp_err *err);

/* Add both rules to the problem of an APSP_ERULE. */
void apsp_rule_consent_tell(
	struct apsp_request *req, const struct apsp_profile *said);

#endif
