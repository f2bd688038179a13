/*
 * POST /v1/graphs/{graph}/estimate[?profile=P][&algorithm=A]: an estimate of
 * the time, memory and disk space that tables of the newest upload need. The
 * body has the rule of these tables. If there is no body, the tables are
 * estimated for the rule of the profile P.
 */
#include "api/body.h"
#include "api/graphs/profile_input.h"
#include "api/graphs/estimate.h"
#include "api/handlers.h"
#include "api/http/query.h"
#include "api/reading.h"
#include "daemon/base/auto.h"
#include "daemon/base/fixed_text.h"
#include "daemon/job/profile_text.h"
#include "storage/snapshots/default_rule.h"

/* Copy the rule of the profile that the query names. If the query names no
   profile, copy the rule of `default`. */
static int profile_copy(const struct apsp_request *req,
	const struct apsp_graph_snapshot *snapshot, struct apsp_profile *out,
	struct apsp_err *err)
{
	const char *name = apsp_query_get(req, "profile");
	const struct apsp_profile_snapshot *profile;

	profile = apsp_generation_profile(
		apsp_graph_snapshot_newest(snapshot), name ? name : "default");
	if (!profile)
		return apsp_graph_snapshot_no_profile(
			snapshot->name, name ? name : "default", err);
	if (profile->unreadable.code)
		return apsp_fail(
			err, APSP_EROW, "%s", profile->unreadable.message);
	*out = profile->rule;
	return 0;
}

static int rule_read(struct apsp_request *req,
	const struct apsp_graph_snapshot *snapshot, struct apsp_profile *out,
	struct apsp_err *err)
{
	json_auto_t *body = NULL;
	const char *algorithm = apsp_query_get(req, "algorithm");
	int r;

	if (req->body_size == 0)
		r = profile_copy(req, snapshot, out, err);
	else if (apsp_query_get(req, "profile"))
		return apsp_fail(err, APSP_EMALFORMED,
			"there is a rule in the body and a profile in the "
			"query; expected one of them");
	else
		r = apsp_body_json(req, &body, err);
	if (r == 0 && body)
		r = apsp_profile_input_json(req, body,
			apsp_default_rule(snapshot), false, out, err);
	if (r < 0 || !algorithm)
		return r;
	if (req->body_size > 0 && *out->algorithm)
		return apsp_fail(err, APSP_EMALFORMED,
			"algorithm is in the query and in the body");
	if (!apsp_fixed_text_set(
		    out->algorithm, sizeof(out->algorithm), algorithm))
		return apsp_fail(err, APSP_EMALFORMED,
			"algorithm is '%.60s…', which is too long", algorithm);
	return apsp_profile_input_algorithm(req, out, err);
}

/*
 * Return the id of the running job that computes the upload's tables by this
 * rule, or 0 if no job computes them.
 */
static uint64_t job_running(const struct apsp_generation *generation,
	const struct apsp_profile *rule)
{
	for (size_t i = 0; i < generation->n_profiles; i++) {
		const struct apsp_profile_snapshot *profile =
			&generation->profiles[i];

		if (profile->job && profile->job_state == APSP_JOB_RUNNING &&
			!profile->unreadable.code &&
			apsp_profile_equal(&profile->rule, rule))
			return profile->job;
	}
	return 0;
}

int apsp_api_post_estimate(struct apsp_request *req, struct apsp_err *err)
{
	APSP_AUTO(apsp_graph_snapshot_end)
	const struct apsp_graph_snapshot *snapshot = NULL;
	const struct apsp_generation *newest;
	struct apsp_estimate_graph graph;
	struct apsp_profile rule = {0};
	const char *name = apsp_query_get(req, "profile");
	int r;

	r = apsp_reading_snapshot(req, &snapshot, err);
	if (r < 0)
		return r;
	newest = apsp_graph_snapshot_newest(snapshot);
	r = apsp_reading_revision(req, snapshot, newest, err);
	if (r < 0)
		return r;
	r = rule_read(req, snapshot, &rule, err);
	if (r < 0)
		return r;
	graph = (struct apsp_estimate_graph){newest->n_vertices, newest->n_arcs,
		newest->weights, job_running(newest, &rule)};
	if (!name && req->body_size == 0)
		name = "default";
	return apsp_estimate_reply(req, &graph, &rule,
		json_pack("{s:s, s:s, s:s?, s:I, s:I}", "graph", snapshot->name,
			"revision", newest->revision, "profile", name,
			"vertices", (json_int_t)newest->n_vertices, "arcs",
			(json_int_t)newest->n_arcs),
		err);
}
