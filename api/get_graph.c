/*
 * GET /v1/graphs/{graph}: the graph, its profiles and what is pending.
 */
#include "api/endpoints.h"
#include "api/graph_json.h"
#include "api/reply.h"
#include "daemon/base/auto.h"

APSP_AUTO_DEFINE(view_end, const struct apsp_graph_view, apsp_graph_view_unref);

int apsp_api_get_graph(struct apsp_request *req, struct apsp_err *err)
{
	static const char *const names[] = {"format", NULL};
	APSP_AUTO(view_end) const struct apsp_graph_view *view = NULL;
	int r;

	r = apsp_request_query_only(req, names, err);
	if (r < 0)
		return r;
	r = apsp_request_view(req, &view, err);
	if (r < 0)
		return r;
	/*
	 * The tag is for If-Match, so it is the newest upload's; never 304,
	 * since jobs change what is said here under the same revision.
	 */
	r = apsp_reply_revision(
		req, apsp_graph_view_newest(view)->revision, err);
	if (r < 0)
		return r;
	return apsp_reply_json(req, MHD_HTTP_OK, apsp_graph_json(view), err);
}
