/*
 * GET /v1/graphs?limit=&cursor=: in order of name; the cursor is the last name
 * of the page before.
 */
#include <stdlib.h>

#include "api/endpoints/endpoints.h"
#include "api/graph_json.h"
#include "api/http/query.h"
#include "api/http/rows.h"
#include "api/list_page.h"
#include "daemon/base/auto.h"

struct graph_rows {
	size_t n;
	size_t next;
	const struct apsp_graph_snapshot *snapshots[];
};

static void graph_rows_free(void *ctx)
{
	struct graph_rows *rows = ctx;

	if (!rows)
		return;
	for (size_t i = 0; i < rows->n; i++)
		apsp_graph_snapshot_unref(rows->snapshots[i]);
	free(rows);
}

APSP_AUTO_DEFINE(graph_rows_end, struct graph_rows, graph_rows_free);

static int graph_rows_next(void *ctx, json_t **out, struct apsp_err *err)
{
	struct graph_rows *rows = ctx;

	if (rows->next == rows->n)
		return 0;
	*out = apsp_graph_json(rows->snapshots[rows->next++]);
	return *out ? 1 : apsp_fail(err, APSP_ENOMEM, "out of memory");
}

/* At most limit graphs; *out_more: whether more follow. */
static int graph_rows_new(struct apsp_store *store, const char *after,
	size_t limit, struct graph_rows **out, bool *out_more,
	struct apsp_err *err)
{
	struct graph_rows *rows;

	rows = calloc(
		1, sizeof(*rows) + (limit + 1) * sizeof(rows->snapshots[0]));
	if (!rows)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	rows->n = apsp_graphs_list(store, after, rows->snapshots, limit + 1);
	*out_more = rows->n > limit;
	if (*out_more)
		apsp_graph_snapshot_unref(rows->snapshots[--rows->n]);
	*out = rows;
	return 0;
}

int apsp_api_list_graphs(struct apsp_request *req, struct apsp_err *err)
{
	static const char *const names[] = {"limit", "cursor", "format", NULL};
	APSP_AUTO(graph_rows_end) struct graph_rows *ctx = NULL;
	struct apsp_rows rows = {
		.name = "graphs",
		.next = graph_rows_next,
		.done = graph_rows_free,
	};
	const char *cursor = apsp_query_get(req, "cursor");
	const char *last = NULL;
	size_t limit;
	bool more = false;
	int r;

	r = apsp_query_only(req, names, err);
	if (r < 0)
		return r;
	r = apsp_list_page_limit(req, &limit, err);
	if (r < 0)
		return r;
	r = graph_rows_new(apsp_request_store(req), cursor ? cursor : "", limit,
		&ctx, &more, err);
	if (r < 0)
		return r;
	if (more)
		last = ctx->snapshots[ctx->n - 1]->name;
	rows.ctx = APSP_TAKE(ctx);
	return apsp_list_page_reply(req, "/v1/graphs", last, &rows, err);
}
