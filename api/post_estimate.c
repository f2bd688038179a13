/*
 * POST /v1/graphs/{graph}/estimate[?profile=P][&algorithm=A]: what the tables
 * of the newest upload would take, under one of its profiles or under the rule
 * in the body.
 */
#include <string.h>

#include "api/algorithm.h"
#include "api/endpoints.h"
#include "api/estimate.h"
#include "api/profile_body.h"
#include "api/reply.h"
#include "daemon/base/auto.h"

APSP_AUTO_DEFINE(view_end, const struct apsp_graph_view, apsp_graph_view_unref);

/* The named profile, `default` where none is. */
static int profile_take(const struct apsp_request *req,
	const struct apsp_graph_view *view, struct apsp_profile *out,
	struct apsp_err *err)
{
	const char *name = apsp_request_query(req, "profile");
	const struct apsp_profile_view *profile;

	profile = apsp_generation_profile(
		apsp_graph_view_newest(view), name ? name : "default");
	if (!profile)
		return apsp_fail(err, APSP_ENOPROFILE,
			"graph '%s' has no profile '%s'", view->name,
			name ? name : "default");
	*out = profile->rule;
	return 0;
}

static int rule_take(const struct apsp_request *req,
	const struct apsp_graph_view *view, struct apsp_profile *out,
	char pointer[APSP_POINTER_SIZE], struct apsp_err *err)
{
	const char *algorithm = apsp_request_query(req, "algorithm");
	int r;

	if (req->body_size == 0)
		r = profile_take(req, view, out, err);
	else if (apsp_request_query(req, "profile"))
		return apsp_fail(err, APSP_EMALFORMED,
			"there is a rule in the body and a profile in the "
			"query; expected one of them");
	else
		r = apsp_body_profile(req, out, pointer, err);
	if (r < 0 || !algorithm)
		return r;
	if (strlen(algorithm) >= sizeof(out->algorithm))
		return apsp_fail(err, APSP_EMALFORMED,
			"algorithm is '%.60s…', which is too long", algorithm);
	strcpy(out->algorithm, algorithm);
	return apsp_algorithm_check(req, out, err);
}

static json_t *answer_json(const struct apsp_request *req,
	const struct apsp_graph_view *view,
	const struct apsp_worker_estimate *estimate)
{
	const struct apsp_generation *newest = apsp_graph_view_newest(view);
	const char *name = apsp_request_query(req, "profile");
	json_t *out = apsp_estimate_json(estimate);
	json_t *about;

	if (!name && req->body_size == 0)
		name = "default";
	about = json_pack("{s:s, s:s, s:s?, s:I, s:I}", "graph", view->name,
		"revision", newest->revision, "profile", name, "vertices",
		(json_int_t)newest->n_vertices, "arcs",
		(json_int_t)newest->n_arcs);
	if (!out || !about || json_object_update(out, about) < 0) {
		json_decref(out);
		out = NULL;
	}
	json_decref(about);
	return out;
}

int apsp_api_post_estimate(struct apsp_request *req, struct apsp_err *err)
{
	static const char *const names[] = {"profile", "algorithm", NULL};
	APSP_AUTO(view_end) const struct apsp_graph_view *view = NULL;
	const struct apsp_generation *newest;
	struct apsp_worker_estimate estimate;
	struct apsp_estimate_graph graph;
	char pointer[APSP_POINTER_SIZE] = "";
	struct apsp_profile rule = {0};
	json_t *answer;
	int r;

	r = apsp_request_query_only(req, names, err);
	if (r >= 0)
		r = apsp_request_view(req, &view, err);
	if (r < 0)
		return r;
	r = rule_take(req, view, &rule, pointer, err);
	if (r < 0)
		return apsp_body_refuse(req, pointer, err);
	newest = apsp_graph_view_newest(view);
	graph = (struct apsp_estimate_graph){
		newest->n_vertices, newest->n_arcs, newest->weights};
	r = apsp_estimate_make(req, &graph, &rule, &estimate, err);
	if (r < 0)
		return r;
	answer = answer_json(req, view, &estimate);
	if (apsp_plan_check(&estimate.plan, err) == 0)
		return apsp_reply_json(req, MHD_HTTP_OK, answer, err);
	apsp_reply_problem(req, err, json_pack("{s:o}", "estimate", answer));
	return 0;
}
