/*
 * The client's consent to replace the rule of the profile `default`; see
 * rule_consent.h.
 */
#include "api/graphs/rule_consent.h"

#include <string.h>

#include "api/http/query.h"
#include "api/reading.h"
#include "api/rule_json.h"
#include "daemon/base/auto.h"
#include "storage/snapshots/default_rule.h"

int apsp_rule_consent_read(const struct apsp_request *req,
	struct apsp_precondition *out, struct apsp_err *err)
{
	const char *value = apsp_query_get(req, "default_rule");

	if (!value)
		return 0;
	if (strcmp(value, "replace") != 0)
		return apsp_fail(err, APSP_EMALFORMED,
			"default_rule is '%.60s'; expected replace, or no "
			"default_rule to keep the rule",
			value);
	out->replaces_rule = true;
	return 0;
}

int apsp_rule_consent_check(struct apsp_request *req,
	const struct apsp_profile *said, const struct apsp_precondition *wanted,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_graph_snapshot_end)
	const struct apsp_graph_snapshot *snapshot = NULL;
	int r;

	if (apsp_reading_snapshot(req, &snapshot, NULL) < 0)
		return 0; /* if there is no graph, the request replaces no rule;
			     if the graph cannot be read, the store will report
			     the error */
	r = apsp_default_rule_check(snapshot, said, wanted, err);
	if (r == APSP_ERULE)
		apsp_rule_consent_explain(req, said);
	return r;
}

void apsp_rule_consent_explain(
	struct apsp_request *req, const struct apsp_profile *said)
{
	APSP_AUTO(apsp_graph_snapshot_end)
	const struct apsp_graph_snapshot *snapshot = NULL;

	/* do nothing if the graph was deleted after the store had refused the
	   rule */
	if (apsp_reading_snapshot(req, &snapshot, NULL) == 0)
		apsp_request_extra(
			req, json_pack("{s:o, s:o}", "rule",
				     apsp_profile_rule_json(
					     apsp_default_rule(snapshot)),
				     "said", apsp_profile_rule_json(said)));
}
