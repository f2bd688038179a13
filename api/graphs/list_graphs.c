/*
 * GET /v1/graphs?limit=&cursor=&wait=: the graphs, sorted by name. The cursor
 * is the last name of the previous page. The ETag is a stamp that changes
 * whenever any graph changes (apsp_snapshot_map_stamp()). While the list is not
 * complete (is_complete()), "-" is appended to the stamp. With `wait`, a
 * request that has this ETag in If-None-Match waits until the stamp changes.
 */
#include <inttypes.h>
#include <stdio.h>

#include "api/graphs/graph_json.h"
#include "api/handlers.h"
#include "api/http/query.h"
#include "api/http/reply.h"
#include "api/list_page.h"
#include "daemon/base/auto.h"
#include "daemon/base/clock.h"
#include "daemon/follow/follower.h"
#include "daemon/job/job.h"
#include "storage/snapshots/snapshot_map.h"

static const struct apsp_graph_snapshot *snapshot_of(const void *row)
{
	return *(const struct apsp_graph_snapshot *const *)row;
}

static json_t *row_json(void *ctx, const void *row)
{
	const struct apsp_request *req = ctx;

	return apsp_graph_json(
		req->config->settings->base_path, snapshot_of(row));
}

/* Whether the list has all graphs. If this daemon follows another daemon, its
   list counts as incomplete until the other daemon has sent a complete list,
   and this daemon has copies of all graphs from which the other one answers. */
static bool is_complete(const struct apsp_request *req)
{
	struct apsp_follower_status status = {.complete = true};

	if (req->config->follower)
		apsp_follower_get(req->config->follower, &status);
	return status.complete;
}

static void row_done(void *row)
{
	apsp_graph_snapshot_unref(snapshot_of(row));
}

/*
 * Set the ETag of the answer, or let the request wait until the list has
 * another ETag. Returns 1 if the request waits or if 304 was sent, and 0 if the
 * handler must reply. The ETag is made before the handler reads the list, so an
 * answer is never older than its ETag.
 */
static int etag_set(
	struct apsp_request *req, bool complete, struct apsp_err *err)
{
	char id[18];
	int64_t deadline_ns;
	int r = apsp_query_deadline(req, &deadline_ns, err);

	if (r < 0)
		return r;
	snprintf(id, sizeof(id), "%016" PRIx64 "%s",
		apsp_snapshot_map_stamp(req->config->graphs),
		complete ? "" : "-");
	if (!apsp_reply_is_known(req, id) || apsp_clock_ns() >= deadline_ns)
		return apsp_reply_etag(req, id, err);
	r = apsp_request_wait_graphs(req, deadline_ns, err);
	return r < 0 ? r : 1;
}

int apsp_api_list_graphs(struct apsp_request *req, struct apsp_err *err)
{
	APSP_AUTO(apsp_list_rows_end) struct apsp_list_rows *list = NULL;
	const char *cursor = apsp_query_get(req, "cursor");
	/* computed before the list is read, so that the list has all graphs if
	   `complete` is true */
	bool complete = is_complete(req);
	const char *last = NULL;
	const void *end;
	int r;

	r = apsp_list_rows_open(
		req, sizeof(const struct apsp_graph_snapshot *), &list, err);
	if (r == 0)
		r = etag_set(req, complete, err);
	if (r != 0)
		return r < 0 ? r : 0;
	list->json = row_json;
	list->done = row_done;
	list->ctx = req;
	list->n = apsp_snapshot_map_list(req->config->graphs,
		cursor ? cursor : "", apsp_list_rows_at(list, 0),
		list->limit + 1);
	end = apsp_list_rows_cut(list);
	if (end)
		last = snapshot_of(end)->name;
	return apsp_list_rows_reply(req, APSP_TAKE(list), "graphs",
		json_pack("{s:s?, s:b}", "next", last, "complete", complete),
		err);
}
