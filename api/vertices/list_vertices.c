/*
 * GET /v1/graphs/{graph}/vertices?q=&limit=&cursor=&match=: with q, the
 * vertices whose labels contain the text q; without q, all vertices in index
 * order, page by page. The cursor is the index of the next page's first vertex.
 * match chooses vertices by attributes. No tables are read, so the request
 * works before the graph has tables.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/handlers.h"
#include "api/http/query.h"
#include "api/http/rows.h"
#include "api/label_text.h"
#include "api/list_page.h"
#include "api/reading.h"
#include "api/vertex_match.h"
#include "daemon/base/auto.h"

enum {
	VERTICES_DEFAULT = 100,
};

struct vertex_rows {
	const struct apsp_graph_snapshot *snapshot; /* owned */
	const struct apsp_generation *generation;   /* borrowed from snapshot */
	uint32_t first; /* index of the page's first vertex; used only if
			   `chosen` is false */
	size_t n;
	size_t next;
	bool chosen; /* true: the n vertices are in found[]; false: they are the
			n vertices from index `first` on */
	uint32_t found[]; /* space for the results of apsp_labels_search() */
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

static int vertex_rows_write(
	void *ctx, struct apsp_json_writer *w, struct apsp_err *err)
{
	struct vertex_rows *rows = ctx;
	size_t i = rows->next;

	(void)err;
	if (i == rows->n)
		return 0;
	rows->next++;
	apsp_label_json(w, rows->generation->labels,
		rows->chosen ? rows->found[i] : rows->first + (uint32_t)i);
	return 1;
}

/* Find the upload whose vertices are listed: the current upload, or the pending
   one if no upload has tables yet. Check that this upload has the profile that
   ?profile= names. */
static int generation_choose(struct apsp_request *req, struct vertex_rows *rows,
	struct apsp_err *err)
{
	const char *profile = apsp_query_get(req, "profile");
	int r;

	r = apsp_reading_shown(req, &rows->snapshot, &rows->generation, err);
	if (r < 0)
		return r;
	if (profile && !apsp_generation_profile(rows->generation, profile))
		return apsp_fail(err, APSP_ENOPROFILE,
			"graph '%s' has no profile '%s'", rows->snapshot->name,
			profile);
	return 0;
}

/*
 * Search the labels. If this takes milliseconds, the request moves to the
 * thread pool first.
 */
static int search(struct apsp_request *req, struct vertex_rows *rows,
	const struct apsp_vertex_match *match, const char *text, size_t limit,
	struct apsp_err *err)
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
	rows->chosen = true;
	rows->n = apsp_labels_search(
		labels, text, match->bits, rows->found, limit);
	return 0;
}

/*
 * Make the page at the cursor. *out_next is the next page's cursor; 0: this is
 * the last page.
 */
static int page(struct apsp_request *req, struct vertex_rows *rows,
	const struct apsp_vertex_match *match, size_t limit, uint64_t *out_next,
	struct apsp_err *err)
{
	uint32_t n = rows->generation->n_vertices;
	uint64_t first;
	int r;

	r = apsp_query_uint(req, "cursor", 0, UINT32_MAX, 0, &first, err);
	if (r < 0)
		return r;
	if (!match->bits) {
		rows->first = (uint32_t)first;
		rows->n = first >= n	      ? 0
			  : n - first < limit ? n - first
					      : limit;
		*out_next = first + rows->n < n ? first + rows->n : 0;
		return 0;
	}
	rows->chosen = true;
	for (uint32_t v = (uint32_t)first; v < n; v++) {
		if (!apsp_vertex_match_has(match, v))
			continue;
		if (rows->n == limit) {
			*out_next = v;
			break;
		}
		rows->found[rows->n++] = v;
	}
	return 0;
}

int apsp_api_list_vertices(struct apsp_request *req, struct apsp_err *err)
{
	APSP_AUTO(apsp_vertex_match_done) struct apsp_vertex_match match = {0};
	APSP_AUTO(vertex_rows_end) struct vertex_rows *ctx = NULL;
	struct apsp_rows rows = {
		.name = "vertices",
		.write = vertex_rows_write,
		.done = vertex_rows_free,
	};
	const char *text = apsp_query_get(req, "q");
	uint64_t limit, next = 0;
	char cursor[24];
	int r;

	r = apsp_query_uint(req, "limit", 1, APSP_VERTICES_PAGE_MAX,
		VERTICES_DEFAULT, &limit, err);
	if (r < 0)
		return r;
	ctx = calloc(1, sizeof(*ctx) + 3 * limit * sizeof(ctx->found[0]));
	if (!ctx)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	r = generation_choose(req, ctx, err);
	if (r < 0)
		return r;
	r = apsp_vertex_match_read(req, ctx->generation, &match, err);
	if (r < 0)
		return r;
	r = text ? search(req, ctx, &match, text, (size_t)limit, err)
		 : page(req, ctx, &match, (size_t)limit, &next, err);
	snprintf(cursor, sizeof(cursor), "%" PRIu64, next);
	if (r == 0 && next)
		r = apsp_list_page_link(req, cursor, err);
	if (r < 0)
		return r;
	rows.head = json_pack("{s:s, s:I, s:s?}", "revision",
		ctx->generation->revision, "count", (json_int_t)ctx->n, "next",
		next ? cursor : NULL);
	rows.ctx = APSP_TAKE(ctx);
	return apsp_rows_reply(req, &rows, err);
}
