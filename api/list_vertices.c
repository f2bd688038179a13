/*
 * GET /v1/graphs/{graph}/vertices?q=&limit=: search by label, for completion.
 * It needs no tables, so a graph can be searched before its first ones.
 */
#include <stdlib.h>

#include "api/endpoints.h"
#include "api/reply.h"
#include "daemon/base/auto.h"

enum {
	VERTICES_DEFAULT = 100,
	VERTICES_MAX = 10000,
};

struct vertex_rows {
	const struct apsp_graph_view *view;	  /* owned */
	const struct apsp_generation *generation; /* of view */
	size_t n;
	size_t next;
	uint32_t found[];
};

static void vertex_rows_free(void *ctx)
{
	struct vertex_rows *rows = ctx;

	if (!rows)
		return;
	if (rows->view)
		apsp_graph_view_unref(rows->view);
	free(rows);
}

APSP_AUTO_DEFINE(vertex_rows_end, struct vertex_rows, vertex_rows_free);

static int vertex_rows_next(void *ctx, json_t **out, struct apsp_err *err)
{
	struct vertex_rows *rows = ctx;

	if (rows->next == rows->n)
		return 0;
	*out = json_string(apsp_labels_get(
		rows->generation->labels, rows->found[rows->next++], NULL));
	return *out ? 1 : apsp_fail(err, APSP_ENOMEM, "out of memory");
}

/* The upload that reads are answered from: the pending one if it is the first.
 */
static int generation_choose(struct apsp_request *req, struct vertex_rows *rows,
	struct apsp_err *err)
{
	const char *profile = apsp_request_query(req, "profile");
	int r;

	r = apsp_request_view(req, &rows->view, err);
	if (r < 0)
		return r;
	rows->generation =
		rows->view->current ? rows->view->current : rows->view->pending;
	if (profile && !apsp_generation_profile(rows->generation, profile))
		return apsp_fail(err, APSP_ENOPROFILE,
			"graph '%s' has no profile '%s'", rows->view->name,
			profile);
	return 0;
}

int apsp_api_list_vertices(struct apsp_request *req, struct apsp_err *err)
{
	static const char *const names[] = {
		"q", "limit", "profile", "format", NULL};
	APSP_AUTO(vertex_rows_end) struct vertex_rows *ctx = NULL;
	struct apsp_rows rows = {
		.name = "vertices",
		.next = vertex_rows_next,
		.done = vertex_rows_free,
	};
	const char *text = apsp_request_query(req, "q");
	uint64_t limit;
	int r;

	r = apsp_request_query_only(req, names, err);
	if (r < 0)
		return r;
	r = apsp_request_query_uint(
		req, "limit", 1, VERTICES_MAX, VERTICES_DEFAULT, &limit, err);
	if (r < 0)
		return r;
	ctx = calloc(1, sizeof(*ctx) + limit * sizeof(ctx->found[0]));
	if (!ctx)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	r = generation_choose(req, ctx, err);
	if (r < 0)
		return r;
	ctx->n = apsp_labels_search(ctx->generation->labels, text ? text : "",
		ctx->found, (size_t)limit);
	rows.head = json_pack("{s:s, s:I}", "revision",
		ctx->generation->revision, "count", (json_int_t)ctx->n);
	if (!rows.head)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	rows.ctx = APSP_TAKE(ctx);
	return apsp_reply_rows(req, MHD_HTTP_OK, &rows, err);
}
