/*
 * GET /v1/graphs/{graph}/stats?profile=&bins=&vertices=1: what labs compute
 * from distances, of the whole graph or of each vertex.
 */
#include <stdlib.h>
#include <string.h>

#include "api/endpoints/endpoints.h"
#include "api/http/query.h"
#include "api/http/reply.h"
#include "api/http/rows.h"
#include "api/reading.h"
#include "api/stats_json.h"
#include "daemon/base/auto.h"

enum {
	SMALL = 4096, /* vertices whose statistics take less than a ms */
};

struct stats_rows {
	struct apsp_reading reading;
	struct apsp_table_stats stats;
	uint32_t next;
};

static void stats_rows_free(void *ctx)
{
	struct stats_rows *rows = ctx;

	if (!rows)
		return;
	apsp_table_stats_done(&rows->stats);
	apsp_reading_done(&rows->reading);
	free(rows);
}

APSP_AUTO_DEFINE(stats_rows_end, struct stats_rows, stats_rows_free);

static int stats_rows_next(void *ctx, json_t **out, struct apsp_err *err)
{
	struct stats_rows *rows = ctx;

	if (rows->next == rows->stats.n_vertices)
		return 0;
	*out = apsp_stats_vertex_json(
		&rows->reading, &rows->stats, rows->next++);
	return *out ? 1 : apsp_fail(err, APSP_ENOMEM, "out of memory");
}

static int vertices_reply(
	struct apsp_request *req, struct stats_rows *ctx, struct apsp_err *err)
{
	struct apsp_rows rows = {
		.head = json_pack("{s:s, s:s}", "revision",
			ctx->reading.generation->revision, "profile",
			ctx->reading.profile->name),
		.name = "vertices",
		.next = stats_rows_next,
		.done = stats_rows_free,
		.ctx = ctx,
	};

	if (!rows.head) {
		stats_rows_free(ctx);
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	}
	return apsp_rows_reply(req, MHD_HTTP_OK, &rows, err);
}

int apsp_api_get_stats(struct apsp_request *req, struct apsp_err *err)
{
	static const char *const names[] = {
		"profile", "bins", "vertices", NULL};
	APSP_AUTO(stats_rows_end) struct stats_rows *rows = NULL;
	uint64_t n_bins, vertices;
	int r;

	r = apsp_query_only(req, names, err);
	if (r == 0)
		r = apsp_query_uint(req, "bins", 1, APSP_HISTOGRAM_BINS,
			APSP_STATS_BINS_DEFAULT, &n_bins, err);
	if (r == 0)
		r = apsp_query_uint(req, "vertices", 0, 1, 0, &vertices, err);
	if (r < 0)
		return r;
	rows = calloc(1, sizeof(*rows));
	if (!rows)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	r = apsp_reading_open(req, &rows->reading, err);
	if (r == 0 && rows->reading.generation->n_vertices > SMALL)
		r = apsp_request_move(req, err);
	if (r == 0)
		r = apsp_reply_etag(
			req, apsp_tables_id(rows->reading.tables), err);
	if (r == 0)
		r = apsp_table_stats_load(
			rows->reading.tables, &rows->stats, err);
	if (r != 0)
		return r < 0 ? r : 0;
	if (vertices)
		return vertices_reply(req, APSP_TAKE(rows), err);
	return apsp_reply_json(req, MHD_HTTP_OK,
		apsp_stats_json(&rows->reading, &rows->stats, n_bins), err);
}
