/*
 * GET /v1/graphs/{graph}?revision=&profile=&wait=: the graph, its profiles and
 * its pending upload. With `revision`, the answer is 200 only if the profile
 * has its tables for this revision. With `wait=N`, the request first waits up
 * to N seconds for the job that computes these tables.
 */
#include "api/graphs/graph_json.h"
#include "api/handlers.h"
#include "api/http/query.h"
#include "api/http/reply.h"
#include "api/reading.h"
#include "daemon/base/auto.h"
#include "storage/snapshots/graph_snapshot.h"

static int only_with_revision(
	const struct apsp_request *req, const char *name, struct apsp_err *err)
{
	if (!apsp_query_get(req, name))
		return 0;
	return apsp_fail(err, APSP_EMALFORMED,
		"%s requires revision, which names the upload; the reply to "
		"PUT has it",
		name);
}

int apsp_api_get_graph(struct apsp_request *req, struct apsp_err *err)
{
	const char *revision = apsp_query_get(req, "revision");
	const char *profile = apsp_query_get(req, "profile");
	APSP_AUTO(apsp_graph_snapshot_end)
	const struct apsp_graph_snapshot *snapshot = NULL;
	int r;

	r = apsp_reading_snapshot(req, &snapshot, err);
	if (r == 0 && revision)
		r = apsp_reading_await(req, snapshot, revision,
			profile ? profile : "default", err);
	else if (r == 0)
		r = only_with_revision(req, "profile", err);
	if (r == 0 && !revision)
		r = only_with_revision(req, "wait", err);
	if (r == 0 || r == APSP_EREVISION)
		r = apsp_reading_revision(req, snapshot,
			apsp_graph_snapshot_shown(snapshot), err);
	if (r != 0)
		return r < 0 ? r : 0;
	/*
	 * The ETag is the revision of the upload to which a change of the graph
	 * would apply. So a client can send the ETag in the If-Match of such a
	 * change. The reply is never 304, because jobs change this answer while
	 * the revision stays the same.
	 */
	r = apsp_reply_revision(req,
		apsp_graph_snapshot_changed(snapshot, NULL)->revision, err);
	if (r < 0)
		return r;
	return apsp_reply_json(req, MHD_HTTP_OK,
		apsp_graph_json(req->config->settings->base_path, snapshot),
		err);
}
