/*
 * GET /v1/graphs/{graph}/stats?profile=&bins=&vertices=1: statistics of
 * distances, of the whole graph or of each vertex.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/encode/csv_writer.h"
#include "api/encode/npy_header.h"
#include "api/handlers.h"
#include "api/http/negotiate.h"
#include "api/http/query.h"
#include "api/http/reply.h"
#include "api/http/rows.h"
#include "api/http/stream.h"
#include "api/label_text.h"
#include "api/reading.h"
#include "api/statistics/stats_json.h"
#include "daemon/base/auto.h"

enum {
	BLOCK = 256,  /* vertices in a block of an answer */
	SMALL = 4096, /* statistics of so many vertices take less than a ms */
};

struct stats_rows {
	struct apsp_reading reading;
	struct apsp_table_stats stats;
	uint32_t next;
	struct apsp_text text; /* a block of CSV or of a NumPy file */
	bool npy;
	bool begun;
};

static void stats_rows_free(void *ctx)
{
	struct stats_rows *rows = ctx;

	if (!rows)
		return;
	apsp_text_done(&rows->text);
	apsp_table_stats_done(&rows->stats);
	apsp_reading_done(&rows->reading);
	free(rows);
}

APSP_AUTO_DEFINE(stats_rows_end, struct stats_rows, stats_rows_free);

static int stats_rows_write(
	void *ctx, struct apsp_json_writer *w, struct apsp_err *err)
{
	struct stats_rows *rows = ctx;

	(void)err;
	if (rows->next == rows->stats.n_vertices)
		return 0;
	apsp_stats_vertex_write(w, &rows->reading, &rows->stats, rows->next++);
	return 1;
}

static void header_append(struct stats_rows *rows)
{
	size_t n_columns = apsp_stats_n_columns(&rows->stats);
	const uint64_t shape[] = {rows->stats.n_vertices, n_columns};
	struct apsp_csv_writer csv = {.text = &rows->text};
	char header[APSP_NPY_HEADER_SIZE];

	if (rows->npy) {
		apsp_npy_header_write('f', sizeof(double), shape, 2, header);
		apsp_text_append(&rows->text, header, sizeof(header));
		return;
	}
	apsp_csv_string(&csv, "vertex", strlen("vertex"));
	for (size_t c = 0; c < n_columns; c++)
		apsp_csv_string(&csv, apsp_stats_columns[c],
			strlen(apsp_stats_columns[c]));
	apsp_csv_row_end(&csv);
}

static void vertex_append(struct stats_rows *rows, uint32_t v)
{
	const struct apsp_labels *labels = rows->reading.generation->labels;
	struct apsp_csv_writer csv = {.text = &rows->text};
	size_t n_columns = apsp_stats_n_columns(&rows->stats);
	double values[APSP_STATS_COLUMNS];

	apsp_stats_values(&rows->stats, v, values);
	if (rows->npy) {
		apsp_text_append(
			&rows->text, values, n_columns * sizeof(*values));
		return;
	}
	apsp_label_csv(&csv, labels, v);
	for (size_t c = 0; c < n_columns; c++)
		if (apsp_stats_column_is_vertex(c))
			apsp_label_csv(&csv, labels, (uint32_t)values[c]);
		else if (isnan(values[c]))
			apsp_csv_blank(&csv);
		else
			apsp_csv_real(&csv, values[c]);
	apsp_csv_row_end(&csv);
}

static int block_next(
	void *ctx, struct apsp_stream_block *out, struct apsp_err *err)
{
	struct stats_rows *rows = ctx;
	uint64_t n = rows->stats.n_vertices;

	apsp_text_clear(&rows->text, SIZE_MAX);
	if (!rows->begun)
		header_append(rows);
	rows->begun = true;
	for (int i = 0; i < BLOCK && rows->next < n; i++)
		vertex_append(rows, rows->next++);
	*out = (struct apsp_stream_block){rows->text.data, rows->text.size};
	return apsp_text_check(&rows->text, err) < 0 ? APSP_ENOMEM
						     : rows->next < n;
}

/*
 * Reply with a row for each vertex, as CSV or as a NumPy file. The reply owns
 * ctx.
 */
static int file_reply(struct apsp_request *req, struct stats_rows *ctx,
	enum apsp_reply_format format, struct apsp_err *err)
{
	struct apsp_stream stream = {
		.type = apsp_reply_format_type(format),
		.size = APSP_STREAM_SIZE_UNKNOWN,
		.next = block_next,
		.done = stats_rows_free,
		.ctx = ctx,
	};

	ctx->npy = format == APSP_REPLY_NPY;
	if (ctx->npy)
		stream.size = APSP_NPY_HEADER_SIZE +
			      ctx->stats.n_vertices *
				      apsp_stats_n_columns(&ctx->stats) *
				      sizeof(double);
	return apsp_stream_reply(req, MHD_HTTP_OK, &stream, err);
}

static int vertices_reply(
	struct apsp_request *req, struct stats_rows *ctx, struct apsp_err *err)
{
	struct apsp_rows rows = {
		.head = json_pack("{s:s, s:s}", "revision",
			ctx->reading.generation->revision, "profile",
			ctx->reading.profile->name),
		.name = "vertices",
		.write = stats_rows_write,
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
	APSP_AUTO(stats_rows_end) struct stats_rows *rows = NULL;
	enum apsp_reply_format format = req->format;
	uint64_t n_bins, vertices;
	bool of_vertices;
	int r;

	r = apsp_query_uint(req, "bins", 1, APSP_HISTOGRAM_BINS,
		APSP_STATS_BINS_DEFAULT, &n_bins, err);
	if (r == 0)
		r = apsp_query_uint(req, "vertices", 0, 1, 0, &vertices, err);
	if (r < 0)
		return r;
	of_vertices = vertices || format == APSP_REPLY_CSV ||
		      format == APSP_REPLY_NPY;
	if (of_vertices && apsp_query_get(req, "bins"))
		return apsp_fail(err, APSP_EMALFORMED,
			"bins cuts the histograms of the whole graph; "
			"vertices=1, CSV and .npy have a row for each vertex");
	rows = calloc(1, sizeof(*rows));
	if (!rows)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	r = apsp_reading_open(req, &rows->reading, err);
	if (r == 0 && rows->reading.generation->n_vertices > SMALL)
		r = apsp_request_move(req, err);
	if (r == 0)
		r = apsp_reading_etag(req, &rows->reading, false, err);
	if (r == 0)
		r = apsp_table_stats_load(
			rows->reading.tables, &rows->stats, err);
	if (r != 0)
		return r < 0 ? r : 0;
	if (format == APSP_REPLY_CSV || format == APSP_REPLY_NPY)
		return file_reply(req, APSP_TAKE(rows), format, err);
	if (vertices)
		return vertices_reply(req, APSP_TAKE(rows), err);
	return apsp_reply_json(req, MHD_HTTP_OK,
		apsp_stats_json(&rows->reading, &rows->stats, n_bins), err);
}
