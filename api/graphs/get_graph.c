/*
 * GET /v1/graphs/{graph}: the graph, its profiles and its pending upload.
 */
#include "api/graphs/graph_json.h"
#include "api/handlers.h"
#include "api/http/reply.h"
#include "api/reading.h"
#include "daemon/base/auto.h"

int apsp_api_get_graph(struct apsp_request *req, struct apsp_err *err)
{
	APSP_AUTO(apsp_graph_snapshot_end)
	const struct apsp_graph_snapshot *snapshot = NULL;
	int r;

	r = apsp_reading_snapshot(req, &snapshot, err);
	if (r < 0)
		return r;
	/*
	 * If-Match compares with the newest upload, so the tag is that one's.
	 * Never 304: jobs change this answer under the same revision.
	 */
	r = apsp_reply_revision(
		req, apsp_graph_snapshot_newest(snapshot)->revision, err);
	if (r < 0)
		return r;
	return apsp_reply_json(req, MHD_HTTP_OK,
		apsp_graph_json(apsp_request_base(req), snapshot), err);
}
