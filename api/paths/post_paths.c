/*
 * POST /v1/graphs/{graph}/paths: the paths of many pairs in one request. The
 * body is parsed as it arrives. The thread pool writes rows when the client is
 * ready for them, so memory holds 8 bytes for each listed pair and one block of
 * the answer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/handlers.h"
#include "api/http/rows.h"
#include "api/paths/pair_rows.h"
#include "api/reading.h"
#include "daemon/base/auto.h"
#include "storage/ingest/formats/content_type.h"

enum {
	/*
	 * if the paths of a batch may together have more arcs than this, the
	 * batch is answered on the thread pool
	 */
	SMALL_ARCS = 65536,
};

/* Find out from Content-Type whether the body is a CSV. A body of any other
   type is read as JSON. */
static int type_read(
	const struct apsp_request *req, bool *out_csv, struct apsp_err *err)
{
	static const char *const types[] = {
		"text/csv", "text/tab-separated-values"};
	const char *type = apsp_request_header(req, "Content-Type");
	enum apsp_format format;
	int r;

	for (size_t i = 0; type && i < sizeof(types) / sizeof(*types); i++) {
		if (strncasecmp(type, types[i], strlen(types[i])) != 0)
			continue;
		r = apsp_content_type_format(type, &format, err);
		if (r < 0)
			return r;
		*out_csv =
			format == APSP_FORMAT_CSV || format == APSP_FORMAT_TSV;
		return *out_csv ? 0
				: apsp_fail(err, APSP_EMEDIATYPE,
					  "the Content-Type is '%s'; pairs are "
					  "application/json, text/csv or "
					  "text/tab-separated-values",
					  type);
	}
	return 0;
}

/* Read what is known before the body arrives. */
static int rows_open(struct apsp_request *req, struct apsp_pair_rows *rows,
	struct apsp_err *err)
{
	int r = type_read(req, &rows->pairs.is_csv, err);

	if (r == 0)
		r = apsp_pair_rows_read(req, rows, err);
	if (r == 0)
		r = apsp_reading_open(req, &rows->reading, err);
	if (r == 0)
		r = apsp_pair_rows_settle(rows, err);
	if (r == 0)
		r = apsp_request_share(req, &rows->share, err);
	if (r < 0)
		return r;
	rows->pairs.generation = rows->reading.generation;
	rows->pairs.share = &rows->share;
	return apsp_pairs_reader_begin(req, err);
}

int apsp_api_post_paths_begin(struct apsp_request *req, struct apsp_err *err)
{
	struct apsp_pair_rows *rows = apsp_request_state(
		req, sizeof(*rows), apsp_pair_rows_free, err);

	if (!rows)
		return APSP_ENOMEM;
	snprintf(rows->graph, sizeof(rows->graph), "%s", req->params[0]);
	rows->base = req->config->settings->base_path;
	rows_open(req, rows, &rows->pairs.body.refusal);
	return 0; /* do not fail here: the refusal is sent when the body is
		     complete */
}

static int sources_list(struct apsp_pair_rows *rows, struct apsp_err *err)
{
	uint32_t *sources;
	size_t n = 0;
	int r = apsp_share_grow(&rows->share, rows->pairs.n * sizeof(*sources),
		"the pairs", err);

	if (r < 0)
		return r;
	sources = malloc((rows->pairs.n + 1) * sizeof(*sources));
	if (!sources)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	for (size_t i = 0; i < rows->pairs.n; i++) {
		struct apsp_pair_end ends[2];

		apsp_pairs_reader_get(&rows->pairs, i, ends);
		if (ends[0].fault == APSP_PAIR_GOOD &&
			ends[1].fault == APSP_PAIR_GOOD)
			sources[n++] = ends[0].vertex;
	}
	rows->sources = sources;
	rows->n_sources = n;
	return 0;
}

/* If the graph has no tables, get the rows of all vertices at which paths
   begin. While the request waits for them, only this is repeated. */
static int rows_get(struct apsp_request *req, struct apsp_pair_rows *rows,
	struct apsp_err *err)
{
	int r = 0;

	if (!apsp_table_on_demand(&rows->reading.tables->header))
		return 0;
	if (!rows->sources)
		r = sources_list(rows, err);
	return r < 0 ? r
		     : apsp_reading_rows(req, &rows->reading, APSP_DEMAND_FROM,
			       rows->sources, rows->n_sources, err);
}

int apsp_api_post_paths(struct apsp_request *req, struct apsp_err *err)
{
	struct apsp_pair_rows *ctx = req->state;
	struct apsp_rows rows = {
		.name = req->format == APSP_REPLY_CSV ? NULL : "paths",
		.begin = apsp_pair_rows_names,
		.write = apsp_pair_rows_write,
		.done = apsp_pair_rows_free,
	};
	int r = apsp_pairs_reader_end(req, err);

	if (r < 0)
		return r;
	/* writing the rows may take long even if the body is short */
	rows.in_pool =
		apsp_pair_rows_search(ctx) ||
		ctx->pairs.n > SMALL_ARCS / ctx->reading.generation->n_vertices;
	r = rows.in_pool ? apsp_request_move(req, err) : 0;
	if (r == 0)
		r = rows_get(req, ctx, err);
	if (r == 0 && apsp_pair_rows_search(ctx))
		r = apsp_widest_pairs_open(
			req, &ctx->reading, &ctx->share, &ctx->widest, err);
	if (r != 0)
		return r < 0 ? r : 0;
	if (rows.name)
		rows.head = apsp_reading_answer(&ctx->reading, json_object());
	rows.ctx = APSP_TAKE(req->state);
	return apsp_rows_reply(req, &rows, err);
}
