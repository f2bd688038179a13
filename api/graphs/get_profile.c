/*
 * GET /v1/graphs/{graph}/profiles/{profile}: the profile in the graph's current
 * upload and, under "pending", the profile in the pending upload.
 */
#include "api/encode/json.h"
#include "api/graphs/graph_json.h"
#include "api/handlers.h"
#include "api/http/reply.h"
#include "api/reading.h"
#include "daemon/base/auto.h"

static const struct apsp_profile_snapshot *profile_in(
	const struct apsp_generation *generation, const char *name)
{
	return generation ? apsp_generation_profile(generation, name) : NULL;
}

static json_t *profile_json(const char *base,
	const struct apsp_graph_snapshot *snapshot, const char *name)
{
	const struct apsp_profile_snapshot *current, *pending;
	json_t *about, *out;

	current = profile_in(snapshot->current, name);
	pending = profile_in(snapshot->pending, name);
	out = apsp_profile_snapshot_json(base,
		(current ? snapshot->current : snapshot->pending)->weight_unit,
		current ? current : pending);
	about = json_pack("{s:s, s:s, s:s?, s:o?}", "graph", snapshot->name,
		"name", name, "revision",
		current ? snapshot->current->revision : NULL, "pending",
		pending ? apsp_profile_snapshot_json(
				  base, snapshot->pending->weight_unit, pending)
			: NULL);
	return apsp_json_join(out, about);
}

int apsp_api_get_profile(struct apsp_request *req, struct apsp_err *err)
{
	APSP_AUTO(apsp_graph_snapshot_end)
	const struct apsp_graph_snapshot *snapshot = NULL;
	const struct apsp_profile_snapshot *changed;
	const struct apsp_generation *shown;
	const char *name = req->params[1];
	int r;

	r = apsp_reading_shown(req, &snapshot, &shown, err);
	if (r < 0)
		return r;
	changed = profile_in(apsp_graph_snapshot_changed(snapshot, name), name);
	if (!profile_in(snapshot->current, name) &&
		!profile_in(snapshot->pending, name))
		return apsp_graph_snapshot_no_profile(
			snapshot->name, name, err);
	/*
	 * the ETag is the hash of the profile's newest rule. The reply is never
	 * 304, because jobs change the answer while the rule stays the same
	 */
	if (changed)
		r = apsp_reply_revision(req, changed->hash, err);
	return r < 0 ? r
		     : apsp_reply_json(req, MHD_HTTP_OK,
			       profile_json(req->config->settings->base_path,
				       snapshot, name),
			       err);
}
