/*
 * GET /v1/graphs/{graph}/vertices?q=&limit=: search by label, for completion.
 * The search needs no tables, so it works before a graph has its first ones.
 */
#include <stdlib.h>
#include <string.h>

#include "api/endpoints/endpoints.h"
#include "api/http/query.h"
#include "api/http/rows.h"
#include "api/reading.h"
#include "daemon/base/auto.h"

enum {
	VERTICES_DEFAULT = 100,
	VERTICES_MAX = 10000,
};

struct vertex_rows {
	const struct apsp_graph_snapshot *snapshot; /* owned */
	const struct apsp_generation *generation;   /* of snapshot */
	size_t n;
	size_t next;
	uint32_t found[]; /* room for apsp_labels_search() */
};

static void vertex_rows_free(void *ctx)
{
	struct vertex_rows *rows = ctx;

	if (!rows)
		return;
	if (rows->snapshot)
		apsp_graph_snapshot_unref(rows->snapshot);
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

/* Read the upload that is served; the pending one if none has tables yet. */
static int generation_choose(struct apsp_request *req, struct vertex_rows *rows,
	struct apsp_err *err)
{
	const char *profile = apsp_query_get(req, "profile");
	int r;

	r = apsp_reading_snapshot(req, &rows->snapshot, err);
	if (r < 0)
		return r;
	rows->generation = rows->snapshot->current ? rows->snapshot->current
						   : rows->snapshot->pending;
	if (profile && !apsp_generation_profile(rows->generation, profile))
		return apsp_fail(err, APSP_ENOPROFILE,
			"graph '%s' has no profile '%s'", rows->snapshot->name,
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
	const char *text = apsp_query_get(req, "q");
	uint64_t limit;
	int r;

	r = apsp_query_only(req, names, err);
	if (r < 0)
		return r;
	if (text && strlen(text) > APSP_LABEL_MAX)
		return apsp_fail(err, APSP_EMALFORMED,
			"q has %zu bytes; labels have at most %d", strlen(text),
			APSP_LABEL_MAX);
	r = apsp_query_uint(
		req, "limit", 1, VERTICES_MAX, VERTICES_DEFAULT, &limit, err);
	if (r < 0)
		return r;
	ctx = calloc(1, sizeof(*ctx) + 3 * limit * sizeof(ctx->found[0]));
	if (!ctx)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	r = generation_choose(req, ctx, err);
	if (r < 0)
		return r;
	if (apsp_reading_labels_are_many(ctx->generation->labels)) {
		r = apsp_request_move(req, err);
		if (r < 0)
			return r;
	}
	ctx->n = apsp_labels_search(ctx->generation->labels, text ? text : "",
		ctx->found, (size_t)limit);
	rows.head = json_pack("{s:s, s:I}", "revision",
		ctx->generation->revision, "count", (json_int_t)ctx->n);
	if (!rows.head)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	rows.ctx = APSP_TAKE(ctx);
	return apsp_rows_reply(req, MHD_HTTP_OK, &rows, err);
}
