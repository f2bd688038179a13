/*
 * POST /v1/graphs/{graph}/paths: the paths of many pairs in one request. The
 * body is parsed as it arrives. The thread pool writes rows when the client is
 * ready for them, so memory holds 8 bytes for each pair and one block of the
 * answer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/encode/json.h"
#include "api/encode/problem.h"
#include "api/handlers.h"
#include "api/http/rows.h"
#include "api/paths/pairs_reader.h"
#include "api/paths/path_text.h"
#include "api/reading.h"
#include "daemon/base/auto.h"
#include "storage/tables/lookup.h"

enum {
	/*
	 * largest number of unknown labels for which we find suggestions. The
	 * number is small, because each of these labels is compared with all
	 * labels of the graph
	 */
	SUGGESTED_MAX = 20,
	/*
	 * if the paths of a batch may together have more arcs than this, the
	 * batch is answered on the thread pool
	 */
	SMALL_ARCS = 65536,
};

/* Owned by the request at first, and by the stream of rows after the reply has
   begun. */
struct path_rows {
	struct apsp_pairs_reader pairs;
	struct apsp_reading reading;
	struct apsp_share share; /* memory that is reserved in the common budget
				    of all answers */
	/* if the graph has no tables, the vertices at which paths begin, as
	   often as they do; NULL: not listed yet; owned */
	uint32_t *sources;
	size_t n_sources;
	char graph[APSP_NAME_SIZE];
	const char *base; /* --base-path, borrowed */
	size_t next;
	size_t n_suggested; /* number of labels with suggestions so far */
};

static void path_rows_free(void *ctx)
{
	struct path_rows *rows = ctx;

	if (!rows)
		return;
	apsp_pairs_reader_done(&rows->pairs);
	free(rows->sources);
	apsp_share_close(&rows->share);
	apsp_reading_done(&rows->reading);
	free(rows);
}

/*
 * Make the problem about pair `index`. `side` is the end that is wrong; -1: the
 * pair itself is wrong.
 */
static json_t *bad_pair_json(const char *base, size_t index, int side,
	const struct apsp_err *err, json_t *suggestions)
{
	char pointer[64];
	json_t *extra;

	if (side < 0)
		snprintf(pointer, sizeof(pointer), "/pairs/%zu", index);
	else
		snprintf(
			pointer, sizeof(pointer), "/pairs/%zu/%d", index, side);
	extra = json_pack(
		"{s:s, s:o*}", "pointer", pointer, "suggestions", suggestions);
	return extra ? apsp_problem_json(err, base, extra) : NULL;
}

/* Make the problem of an end that names no vertex. */
static json_t *bad_end_json(struct path_rows *rows, size_t index, int side,
	const struct apsp_pair_end *end)
{
	json_t *suggestions = NULL;
	struct apsp_err err;

	if (end->fault == APSP_PAIR_NO_STRING) {
		apsp_fail(&err, APSP_EDATA,
			"pairs[%zu][%d] is %s; a vertex is named by a string,"
			" since a number loses digits",
			index, side, end->text);
		return bad_pair_json(rows->base, index, side, &err, NULL);
	}
	apsp_fail(&err, APSP_EBADVERTEX,
		"pairs[%zu][%d] '%s' is not in graph '%s'", index, side,
		end->text, rows->graph);
	if (rows->n_suggested++ < SUGGESTED_MAX)
		suggestions = apsp_reading_vertex_suggestions(
			rows->reading.generation, end->text);
	return bad_pair_json(rows->base, index, side, &err, suggestions);
}

static int path_rows_write(
	void *ctx, struct apsp_json_writer *w, struct apsp_err *err)
{
	APSP_AUTO(apsp_path_done) struct apsp_path path = {0};
	struct path_rows *rows = ctx;
	struct apsp_pair_end ends[2];
	size_t index = rows->next;
	struct apsp_err bad;
	int r;

	if (index == rows->pairs.n)
		return 0;
	rows->next++;
	apsp_pairs_reader_get(&rows->pairs, index, ends);
	if (ends[0].fault == APSP_PAIR_NO_PAIR) {
		apsp_fail(&bad, APSP_EDATA,
			"pairs[%zu] is not a list of two labels", index);
		apsp_json_tree(
			w, bad_pair_json(rows->base, index, -1, &bad, NULL));
		return 1;
	}
	for (int side = 0; side < 2; side++) {
		if (ends[side].fault == APSP_PAIR_GOOD)
			continue;
		apsp_json_tree(w, bad_end_json(rows, index, side, &ends[side]));
		return 1;
	}
	r = apsp_lookup_path(rows->reading.tables, ends[0].vertex,
		ends[1].vertex, &path, err);
	if (r < 0)
		return r;
	apsp_path_write(
		w, &rows->reading, ends[0].vertex, ends[1].vertex, &path);
	return 1;
}

int apsp_api_post_paths_begin(struct apsp_request *req, struct apsp_err *err)
{
	struct path_rows *rows = calloc(1, sizeof(*rows));
	struct apsp_err *refusal;
	int r;

	if (!rows)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	refusal = &rows->pairs.body.refusal;
	req->state = rows;
	req->state_free = path_rows_free;
	snprintf(rows->graph, sizeof(rows->graph), "%s", req->params[0]);
	rows->base = req->config->settings->base_path;
	r = apsp_reading_open(req, &rows->reading, refusal);
	if (r == 0)
		r = apsp_request_share(req, &rows->share, refusal);
	if (r == 0) {
		rows->pairs.labels = rows->reading.generation->labels;
		rows->pairs.share = &rows->share;
		rows->pairs.max = req->config->limits.max_pairs;
		apsp_pairs_reader_begin(req, refusal);
	}
	return 0; /* do not fail here: the refusal is sent when the body is
		     complete */
}

int apsp_api_post_paths_body(struct apsp_request *req, const char *data,
	size_t size, struct apsp_err *err)
{
	return apsp_body_stream_feed(req, data, size, false, err);
}

static int sources_list(struct path_rows *rows, struct apsp_err *err)
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
static int rows_get(
	struct apsp_request *req, struct path_rows *rows, struct apsp_err *err)
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
	struct path_rows *ctx = req->state;
	struct apsp_rows rows = {
		.name = "paths",
		.write = path_rows_write,
		.done = path_rows_free,
	};
	int r = apsp_pairs_reader_end(req, err);

	if (r < 0)
		return r;
	/* writing the rows may take long even if the body is short */
	rows.in_pool =
		ctx->pairs.n > SMALL_ARCS / ctx->reading.generation->n_vertices;
	r = rows.in_pool ? apsp_request_move(req, err) : 0;
	if (r == 0)
		r = rows_get(req, ctx, err);
	if (r < 0)
		return r;
	rows.head = apsp_reading_answer(&ctx->reading, json_object());
	rows.ctx = APSP_TAKE(req->state);
	return apsp_rows_reply(req, &rows, err);
}
