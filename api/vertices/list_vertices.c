/*
 * GET /v1/graphs/{graph}/vertices?q=&limit=&cursor=&match=: with q, the
 * vertices whose labels contain the text q; without q, all vertices in index
 * order, page by page. The cursor is the index of the next page's first vertex.
 * match chooses vertices by attributes. CSV has the attributes, too. Without q
 * and limit, CSV has all vertices on one page. No tables are read, so the
 * request works before the graph has tables.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/handlers.h"
#include "api/http/query.h"
#include "api/http/reply.h"
#include "api/http/rows.h"
#include "api/label_text.h"
#include "api/list_page.h"
#include "api/reading.h"
#include "api/vertex_match.h"
#include "api/attribute_row.h"
#include "daemon/base/auto.h"
#include "daemon/base/budget.h"
#include "storage/snapshots/precondition.h"

enum {
	VERTICES_DEFAULT = 100,
};

struct vertex_rows {
	const struct apsp_graph_snapshot *snapshot; /* owned */
	const struct apsp_generation *generation;   /* borrowed from snapshot */
	struct apsp_vertex_match match;
	struct apsp_share
		share; /* counts the memory of `match` in a large graph */
	bool searched; /* true: the answer has the vertices in found[]; false:
			  the matching vertices from index v on */
	uint32_t v;    /* if `searched` is false: the next row has the first
			  matching vertex whose index is at least this */
	size_t n;      /* number of vertices in the answer */
	size_t next;   /* number of vertices whose row was written */
	uint32_t found[]; /* space for the results of apsp_labels_search() */
};

static void vertex_rows_free(void *ctx)
{
	struct vertex_rows *rows = ctx;

	if (!rows)
		return;
	apsp_graph_snapshot_unref(rows->snapshot);
	apsp_vertex_match_done(&rows->match);
	apsp_share_close(&rows->share);
	free(rows);
}

APSP_AUTO_DEFINE(vertex_rows_end, struct vertex_rows, vertex_rows_free);

/* Return the vertex of the next row. The caller has checked that a row is
   left. */
static uint32_t vertex_rows_next(struct vertex_rows *rows)
{
	uint32_t v;

	if (rows->searched)
		return rows->found[rows->next++];
	rows->next++;
	v = apsp_vertex_match_next(
		&rows->match, rows->v, rows->generation->n_vertices);
	rows->v = v + 1;
	return v;
}

/* the names of the columns that are not attributes */
static const char *const own_names[] = {"vertex", NULL};

static void names_write(void *ctx, struct apsp_cells *names)
{
	const struct vertex_rows *rows = ctx;

	apsp_attribute_row(rows->generation, 0, "vertex", own_names, names);
}

static int vertex_rows_write(
	void *ctx, struct apsp_cells *cells, struct apsp_err *err)
{
	struct vertex_rows *rows = ctx;
	const struct apsp_generation *generation = rows->generation;

	(void)err;
	if (rows->next == rows->n)
		return 0;
	if (cells->form == APSP_CELLS_CSV)
		apsp_attribute_row(generation, vertex_rows_next(rows), "vertex",
			own_names, cells);
	else
		apsp_label_json(cells->json, generation->labels,
			vertex_rows_next(rows));
	return 1;
}

/*
 * Find the vertices that ?match= chooses. If the graph has many labels, this
 * takes milliseconds. The request then first moves to the thread pool, and
 * memory is reserved in the budget of answers. Call this before search() and
 * page(): a request that waits for memory begins again from its start, and
 * would repeat their work.
 */
static int match_read(struct apsp_request *req, struct vertex_rows *rows,
	struct apsp_err *err)
{
	const struct apsp_generation *generation = rows->generation;
	bool many = apsp_reading_labels_are_many(generation->labels);
	int r = 0;

	if (!apsp_query_get(req, "match"))
		return 0;
	if (many)
		r = apsp_request_move(req, err);
	if (r == 0 && many)
		r = apsp_request_share(req, &rows->share, err);
	if (r == 0 && many)
		r = apsp_share_set(&rows->share, generation->n_vertices / 8,
			"the vertices that match", err);
	if (r < 0)
		return apsp_request_wait_memory(req, r);
	return apsp_vertex_match_read(req, generation, &rows->match, err);
}

/*
 * Search the labels. If the graph has many labels, this takes milliseconds, so
 * the request first moves to the thread pool.
 */
static int search(struct apsp_request *req, struct vertex_rows *rows,
	const char *text, size_t limit, struct apsp_err *err)
{
	const struct apsp_labels *labels = rows->generation->labels;
	int r;

	if (strlen(text) > APSP_LABEL_MAX)
		return apsp_fail(err, APSP_EMALFORMED,
			"q has %zu bytes; labels have at most %d", strlen(text),
			APSP_LABEL_MAX);
	if (apsp_query_get(req, "cursor"))
		return apsp_fail(err, APSP_EMALFORMED,
			"a search has one page: q and cursor exclude each "
			"other, and limit may be up to %d",
			APSP_VERTICES_PAGE_MAX);
	if (apsp_reading_labels_are_many(labels)) {
		r = apsp_request_move(req, err);
		if (r < 0)
			return r;
	}
	rows->searched = true;
	rows->n = apsp_labels_search(
		labels, text, rows->match.bits, rows->found, limit);
	return 0;
}

/*
 * Choose the vertices of the page that begins at ?cursor=. *out_next is the
 * cursor of the next page, or 0 if this page is the last one.
 */
static int page(struct apsp_request *req, struct vertex_rows *rows,
	size_t limit, uint64_t *out_next, struct apsp_err *err)
{
	const struct apsp_vertex_match *match = &rows->match;
	uint32_t n = rows->generation->n_vertices, v;
	uint64_t first;
	int r;

	r = apsp_query_uint(req, "cursor", 0, UINT32_MAX, 0, &first, err);
	if (r < 0)
		return r;
	rows->v = (uint32_t)first;
	if (!match->bits) {
		rows->n = first >= n	      ? 0
			  : n - first < limit ? n - first
					      : limit;
		*out_next = first + rows->n < n ? first + rows->n : 0;
		return 0;
	}
	v = apsp_vertex_match_next(match, rows->v, n);
	for (; v < n && rows->n < limit; rows->n++)
		v = apsp_vertex_match_next(match, v + 1, n);
	*out_next = v < n ? v : 0;
	return 0;
}

int apsp_api_list_vertices(struct apsp_request *req, struct apsp_err *err)
{
	APSP_AUTO(vertex_rows_end) struct vertex_rows *ctx = NULL;
	struct apsp_rows rows = {
		.begin = names_write,
		.write = vertex_rows_write,
		.done = vertex_rows_free,
	};
	const char *text = apsp_query_get(req, "q");
	const char *profile = apsp_query_get(req, "profile");
	bool csv = req->format == APSP_REPLY_CSV;
	uint64_t limit, next = 0;
	char cursor[24], tag[APSP_TAG_SIZE];
	int r;

	r = apsp_query_uint(req, "limit", 1, APSP_VERTICES_PAGE_MAX,
		csv && !text ? UINT32_MAX : VERTICES_DEFAULT, &limit, err);
	if (r < 0)
		return r;
	ctx = calloc(1,
		sizeof(*ctx) + (text ? 3 * limit * sizeof(ctx->found[0]) : 0));
	if (!ctx)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	r = apsp_reading_shown(req, &ctx->snapshot, &ctx->generation, err);
	if (r == 0 && profile &&
		!apsp_generation_profile(ctx->generation, profile))
		r = apsp_graph_snapshot_no_profile(
			ctx->snapshot->name, profile, err);
	if (r == 0)
		r = match_read(req, ctx, err);
	if (r < 0)
		return r;
	r = text ? search(req, ctx, text, (size_t)limit, err)
		 : page(req, ctx, (size_t)limit, &next, err);
	snprintf(cursor, sizeof(cursor), "%" PRIu64, next);
	if (r == 0 && next)
		r = apsp_list_page_link(req, cursor, err);
	/* if the graph has attributes, the ETag changes when they change; it
	   always changes with the upload */
	if (ctx->generation->attributes)
		apsp_attributes_tag(ctx->generation, tag);
	if (r == 0)
		r = apsp_reply_etag(req,
			ctx->generation->attributes ? tag
						    : ctx->generation->revision,
			err);
	if (r != 0)
		return r < 0 ? r : 0;
	if (csv) {
		rows.type = "text/csv; charset=utf-8";
	} else {
		rows.name = "vertices";
		rows.head = json_pack("{s:s, s:I, s:s?}", "revision",
			ctx->generation->revision, "count", (json_int_t)ctx->n,
			"next", next ? cursor : NULL);
	}
	rows.ctx = APSP_TAKE(ctx);
	return apsp_rows_reply(req, &rows, err);
}
