/*
 * PUT /v1/graphs/{graph}/profiles/{profile}: define a profile by a rule, a JSON
 * object.
 */
#include <stdlib.h>
#include <string.h>

#include "api/body_json.h"
#include "api/command.h"
#include "api/encode/json.h"
#include "api/graphs/estimate.h"
#include "api/graphs/profile_input.h"
#include "api/graphs/put_reply.h"
#include "api/graphs/rule_consent.h"
#include "api/handlers.h"
#include "api/reading.h"
#include "daemon/base/arc_facts.h"
#include "daemon/base/auto.h"
#include "storage/profiles.h"
#include "storage/snapshots/default_rule.h"

struct put_profile {
	struct apsp_estimate_graph graph;
	struct apsp_profile rule;
	struct apsp_precondition wanted;
	struct apsp_put_reply reply;
};

static void put_profile_free(void *state)
{
	struct put_profile *put = state;

	if (put)
		apsp_put_result_done(&put->reply.result);
	free(put);
}

static int reply_send(
	struct apsp_request *req, struct put_profile *put, struct apsp_err *err)
{
	struct apsp_put_reply *reply = &put->reply;
	const struct apsp_generation *generation;
	int r;

	r = apsp_request_result(req, err);
	if (r == APSP_ENOSPACE)
		apsp_estimate_explain(req, &put->graph, &put->rule);
	if (r == APSP_ERULE)
		apsp_rule_consent_explain(req, &put->rule);
	if (r < 0)
		return r;
	generation = apsp_put_result_generation(&reply->result);
	if (!generation)
		return apsp_fail(err, APSP_EROW,
			"the graph '%s' cannot be read; /readyz says why",
			req->params[0]);
	reply->graph = req->params[0];
	reply->profile = req->params[1];
	memcpy(reply->revision, generation->revision, sizeof(reply->revision));
	reply->n_vertices = generation->n_vertices;
	reply->n_arcs = generation->n_arcs;
	reply->transform = put->rule.transform;
	return apsp_put_reply_send(req, reply, err);
}

/*
 * Refuse a rule whose job must fail, because weights of the newest upload have
 * no length under it, or because this machine has no room for the tables. The
 * profile's present rule is not refused. Returns a negative code, 1 if the
 * reply is sent, or 0.
 */
static int refuse(
	struct apsp_request *req, struct put_profile *put, struct apsp_err *err)
{
	APSP_AUTO(apsp_graph_snapshot_end)
	const struct apsp_graph_snapshot *snapshot = NULL;
	const struct apsp_profile_snapshot *before;
	const struct apsp_generation *newest;
	int r;

	if (apsp_reading_snapshot(req, &snapshot, NULL) < 0)
		return 0; /* the store will report the error */
	newest = apsp_graph_snapshot_newest(snapshot);
	before = apsp_generation_profile(newest, req->params[1]);
	put->graph = (struct apsp_estimate_graph){
		newest->n_vertices, newest->n_arcs, newest->weights};
	if (before && !before->unreadable.code &&
		apsp_profile_equal(&before->rule, &put->rule))
		return 0;
	r = apsp_arc_facts_check(newest->weights, &put->rule, err);
	if (r < 0)
		return r;
	return apsp_estimate_refuses(req, &put->graph, &put->rule, err);
}

static int rule_read(struct apsp_request *req, struct apsp_profile *out,
	struct apsp_err *err)
{
	json_auto_t *body = NULL;
	APSP_AUTO(apsp_graph_snapshot_end)
	const struct apsp_graph_snapshot *snapshot = NULL;
	const struct apsp_profile *kept = NULL;
	int r;

	/* the store will report an error of the graph */
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
	char name[APSP_NAME_SIZE];
	int r;

	if (put)
		return reply_send(req, put, err);
	r = apsp_name_set(name, "profile", req->params[1], err);
	if (r < 0)
		return r;
	put = calloc(1, sizeof(*put));
	if (!put)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	req->state = put;
	req->state_free = put_profile_free;
	r = apsp_command_condition(
		req, APSP_SUBJECT_PROFILE, &put->wanted, err);
	if (r == 0)
		r = apsp_rule_consent_read(req, &put->wanted, err);
	if (r == 0)
		r = rule_read(req, &put->rule, err);
	if (r == 0 && strcmp(name, "default") == 0)
		r = apsp_rule_consent_check(req, &put->rule, &put->wanted, err);
	if (r < 0)
		return r;
	r = refuse(req, put, err);
	if (r != 0)
		return r < 0 ? r : 0;
	r = apsp_request_suspend(req, err);
	if (r < 0)
		return r;
	apsp_profile_format(&put->rule, req->change.rule_after);
	apsp_profiles_put(req->config->store, req->params[0], req->params[1],
		&put->rule, &put->wanted, &put->reply.result,
		apsp_command_done(req));
	return 0;
}
