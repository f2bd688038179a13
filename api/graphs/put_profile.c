/*
 * PUT /v1/graphs/{graph}/profiles/{profile}: define a profile by a rule. The
 * body has the rule as a JSON object.
 */
#include <stdlib.h>
#include <string.h>

#include "api/body.h"
#include "api/command.h"
#include "api/graphs/estimate.h"
#include "api/graphs/put_reply.h"
#include "api/graphs/profile_input.h"
#include "api/handlers.h"
#include "api/http/query.h"
#include "api/reading.h"
#include "daemon/job/arc_facts.h"
#include "daemon/base/auto.h"
#include "daemon/job/profile_text.h"
#include "storage/attributes/rule_choice.h"
#include "storage/graphs.h"
#include "storage/snapshots/default_rule.h"

struct put_profile {
	struct apsp_precondition wanted;
	struct apsp_put_reply reply;
};

static void put_profile_free(void *state)
{
	struct put_profile *put = state;

	if (put)
		apsp_put_reply_done(&put->reply);
	free(put);
}

/*
 * Refuse a rule whose job would fail for one of the following reasons. The rule
 * is checked against the upload that apsp_graph_snapshot_changed() returns.
 *
 * - The rule names vertices or attributes that the upload does not have, or its
 *   conditions choose no vertex or every vertex. This is not checked if the
 *   rule names an attribute and the graph has no attributes yet.
 * - The rule cannot turn all weights of this upload into lengths, or the tables
 *   do not fit this machine. This is not checked if the profile already has
 *   this rule.
 *
 * Returns 0, a negative code, or 1 if the refusal was sent.
 */
static int refuse(struct apsp_request *req, struct apsp_put_reply *put,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_graph_snapshot_end)
	const struct apsp_graph_snapshot *snapshot = NULL;
	const struct apsp_profile_snapshot *before;
	const struct apsp_generation *upload;
	int r;

	if (apsp_reading_snapshot(req, &snapshot, NULL) < 0)
		return 0; /* the store will report why the graph cannot be
		read */
	upload = apsp_graph_snapshot_changed(snapshot, put->profile);
	before = apsp_generation_profile(upload, put->profile);
	put->facts = (struct apsp_estimate_graph){
		upload->n_vertices, upload->n_arcs, upload->weights};
	if (!apsp_rule_choice_awaits_attributes(
		    &put->rule, upload->attributes)) {
		r = apsp_rule_choice_check(
			&put->rule, upload->labels, upload->attributes, err);
		if (r < 0)
			return r;
	}
	if (before && !before->unreadable.code &&
		apsp_profile_equal(&before->rule, &put->rule))
		return 0;
	r = apsp_arc_facts_check(upload->weights, &put->rule, err);
	if (r < 0)
		return r;
	return apsp_estimate_refuses(req, &put->facts, &put->rule, err);
}

static int rule_read(struct apsp_request *req, struct apsp_profile *out,
	struct apsp_err *err)
{
	json_auto_t *body = NULL;
	APSP_AUTO(apsp_graph_snapshot_end)
	const struct apsp_graph_snapshot *snapshot = NULL;
	const struct apsp_profile *kept = NULL;
	int r;

	/* if the graph cannot be read, the store will report the error */
	if (apsp_reading_snapshot(req, &snapshot, NULL) == 0)
		kept = apsp_default_rule(snapshot);
	r = apsp_body_json(req, &body, err);
	return r < 0 ? r
		     : apsp_profile_input_json(req, body, kept,
			       strcmp(req->params[1], "default") == 0, out,
			       err);
}

int apsp_api_put_profile(struct apsp_request *req, struct apsp_err *err)
{
	struct put_profile *put = req->state;
	struct apsp_profile *rule;
	char name[APSP_NAME_SIZE];
	uint64_t wait_s;
	int r;

	if (put)
		return apsp_put_reply_send(req, &put->reply, err);
	r = apsp_name_set(name, "profile", req->params[1], err);
	if (r == 0)
		r = apsp_query_wait(req, &wait_s, err);
	if (r < 0)
		return r;
	put = apsp_request_state(req, sizeof(*put), put_profile_free, err);
	if (!put)
		return APSP_ENOMEM;
	put->reply.graph = req->params[0];
	put->reply.profile = req->params[1];
	rule = &put->reply.rule;
	r = apsp_command_condition(
		req, APSP_SUBJECT_PROFILE, &put->wanted, err);
	if (r == 0)
		r = apsp_command_check(req, &put->wanted, err);
	if (r == 0)
		r = apsp_rule_consent_read(req, &put->wanted, err);
	if (r == 0)
		r = rule_read(req, rule, err);
	if (r == 0 && strcmp(name, "default") == 0)
		r = apsp_rule_consent_check(req, rule, &put->wanted, err);
	if (r < 0)
		return r;
	r = refuse(req, &put->reply, err);
	if (r != 0)
		return r < 0 ? r : 0;
	r = apsp_request_suspend(req, false, err);
	if (r < 0)
		return r;
	apsp_profile_format(rule, req->change.rules->after);
	apsp_profiles_put(req->config->store, req->params[0], req->params[1],
		rule, &put->wanted, &put->reply.result, apsp_command_done(req));
	return 0;
}
