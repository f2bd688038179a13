/*
 * GET /v1/graphs?limit=&cursor=: the graphs, sorted by name. The cursor is the
 * last name of the previous page.
 */
#include "api/graphs/graph_json.h"
#include "api/handlers.h"
#include "api/http/query.h"
#include "api/list_page.h"
#include "daemon/base/auto.h"
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

static void row_done(void *row)
{
	apsp_graph_snapshot_unref(snapshot_of(row));
}

int apsp_api_list_graphs(struct apsp_request *req, struct apsp_err *err)
{
	APSP_AUTO(apsp_list_rows_end) struct apsp_list_rows *list = NULL;
	const char *cursor = apsp_query_get(req, "cursor");
	const char *last = NULL;
	size_t limit;
	int r;

	r = apsp_list_page_limit(req, &limit, err);
	if (r < 0)
		return r;
	list = apsp_list_rows_new(
		sizeof(const struct apsp_graph_snapshot *), limit + 1);
	if (!list)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	list->json = row_json;
	list->done = row_done;
	list->ctx = req;
	list->n = apsp_snapshot_map_list(req->config->graphs,
		cursor ? cursor : "", apsp_list_rows_at(list, 0), limit + 1);
	if (apsp_list_rows_cut(list, limit))
		last = snapshot_of(apsp_list_rows_at(list, limit - 1))->name;
	return apsp_list_rows_reply(req, APSP_TAKE(list), "graphs", last, err);
}
