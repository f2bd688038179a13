/*
 * PUT /v1/graphs/{graph}/profiles/{profile}: a rule that turns weights into
 * lengths, as a JSON object.
 */
#include <stdlib.h>
#include <string.h>

#include "api/endpoints.h"
#include "api/estimate.h"
#include "api/profile_body.h"
#include "api/receipt.h"
#include "daemon/base/auto.h"

struct put_profile {
	struct apsp_estimate_graph graph;
	struct apsp_profile rule;
	struct apsp_receipt receipt;
};

APSP_AUTO_DEFINE(view_end, const struct apsp_graph_view, apsp_graph_view_unref);

/* The generation that the profile was put into may be gone by now. */
static int receipt_reply(
	struct apsp_request *req, struct put_profile *put, struct apsp_err *err)
{
	APSP_AUTO(view_end) const struct apsp_graph_view *view = NULL;
	struct apsp_receipt *receipt = &put->receipt;
	const struct apsp_generation *generation;
	int r;

	r = apsp_request_result(req, err);
	if (r == APSP_ENOSPACE)
		apsp_estimate_tell(req, &put->graph, &put->rule);
	if (r < 0)
		return r;
	r = apsp_request_view(req, &view, err);
	if (r < 0)
		return r;
	generation = view->pending;
	if (!generation || generation->id != receipt->result.generation)
		generation = view->current;
	if (!generation || generation->id != receipt->result.generation)
		return apsp_fail(err, APSP_EPRECONDITION,
			"graph '%s' was overwritten meanwhile; the newer upload"
			" keeps the profile",
			view->name);
	receipt->graph = req->params[0];
	receipt->profile = req->params[1];
	memcpy(receipt->revision, generation->revision,
		sizeof(receipt->revision));
	receipt->n_vertices = generation->n_vertices;
	receipt->n_arcs = generation->n_arcs;
	return apsp_receipt_reply(req, receipt, err);
}

/*
 * Whether the newest upload has no room for such tables, which then has been
 * replied. The same rule again is let in as it was before.
 */
static bool refused(
	struct apsp_request *req, struct put_profile *put, struct apsp_err *err)
{
	APSP_AUTO(view_end) const struct apsp_graph_view *view = NULL;
	const struct apsp_profile_view *before;
	const struct apsp_generation *newest;
	char text[APSP_PROFILE_TEXT_SIZE], old[APSP_PROFILE_TEXT_SIZE] = "";

	if (apsp_request_view(req, &view, NULL) < 0)
		return false; /* the store says so */
	newest = apsp_graph_view_newest(view);
	before = apsp_generation_profile(newest, req->params[1]);
	if (before)
		apsp_profile_format(&before->rule, old);
	apsp_profile_format(&put->rule, text);
	put->graph = (struct apsp_estimate_graph){
		newest->n_vertices, newest->n_arcs, newest->weights};
	return strcmp(text, old) != 0 &&
	       apsp_estimate_refuses(req, &put->graph, &put->rule, err);
}

int apsp_api_put_profile(struct apsp_request *req, struct apsp_err *err)
{
	static const char *const names[] = {NULL};
	struct put_profile *put = req->state;
	char pointer[APSP_POINTER_SIZE] = "";
	int r;

	if (put)
		return receipt_reply(req, put, err);
	if (!apsp_name_valid(req->params[1]))
		return apsp_fail(err, APSP_EMALFORMED,
			"'%s' cannot name a profile: 1 to 128 of A-Z a-z 0-9 ."
			" _ ~ -, not starting with a dot",
			req->params[1]);
	r = apsp_request_query_only(req, names, err);
	if (r < 0)
		return r;
	put = calloc(1, sizeof(*put));
	if (!put)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	req->state = put;
	req->state_free = free;
	r = apsp_body_profile(req, &put->rule, pointer, err);
	if (r < 0)
		return apsp_body_refuse(req, pointer, err);
	if (refused(req, put, err))
		return 0;
	r = apsp_request_suspend(req, err);
	if (r < 0)
		return r;
	apsp_profiles_put(apsp_request_store(req), req->params[0],
		req->params[1], &put->rule, &put->receipt.result,
		apsp_request_done(req));
	return 0;
}
