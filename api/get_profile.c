/*
 * GET /v1/graphs/{graph}/profiles/{profile}: as of the upload that is served,
 * and, under "pending", as of the one that is to follow.
 */
#include "api/endpoints.h"
#include "api/graph_json.h"
#include "api/reply.h"
#include "daemon/base/auto.h"

APSP_AUTO_DEFINE(view_end, const struct apsp_graph_view, apsp_graph_view_unref);

static const struct apsp_profile_view *profile_in(
	const struct apsp_generation *generation, const char *name)
{
	return generation ? apsp_generation_profile(generation, name) : NULL;
}

static json_t *profile_json(
	const struct apsp_graph_view *view, const char *name)
{
	const struct apsp_profile_view *current, *pending;
	json_t *about, *out;

	current = profile_in(view->current, name);
	pending = profile_in(view->pending, name);
	out = apsp_profile_view_json(current ? current : pending);
	about = json_pack("{s:s, s:s, s:s?, s:o?}", "graph", view->name, "name",
		name, "revision", current ? view->current->revision : NULL,
		"pending", pending ? apsp_profile_view_json(pending) : NULL);
	if (!out || !about || json_object_update(out, about) < 0) {
		json_decref(out);
		out = NULL;
	}
	json_decref(about);
	return out;
}

int apsp_api_get_profile(struct apsp_request *req, struct apsp_err *err)
{
	static const char *const names[] = {"format", NULL};
	APSP_AUTO(view_end) const struct apsp_graph_view *view = NULL;
	const char *name = req->params[1];
	int r;

	r = apsp_request_query_only(req, names, err);
	if (r < 0)
		return r;
	r = apsp_request_view(req, &view, err);
	if (r < 0)
		return r;
	if (!profile_in(view->current, name) &&
		!profile_in(view->pending, name))
		return apsp_fail(err, APSP_ENOPROFILE,
			"graph '%s' has no profile '%s'", view->name, name);
	return apsp_reply_json(req, MHD_HTTP_OK, profile_json(view, name), err);
}
