/*
 * Arcs of a profile, with their lengths or widths; see profile_arcs.h. Weights
 * and lengths are read from the table file row by row, so that the arcs of the
 * profile need not stay in memory while a client reads the answer.
 */
#include "api/vertices/profile_arcs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/encode/cells.h"
#include "api/http/query.h"
#include "api/http/rows.h"
#include "api/label_text.h"
#include "api/list_page.h"
#include "api/vertices/arc_order.h"
#include "api/attribute_row.h"
#include "api/vertices/vertex_reading.h"
#include "daemon/base/auto.h"
#include "daemon/base/budget.h"
#include "daemon/base/limits.h"
#include "storage/tables/pair_width.h"
#include "storage/tables/table_read.h"
#include "storage/tables/tables.h"

enum {
	SKIPPED = 4096, /* number of sorted arcs of earlier pages that one call
			   skips */
};

/* The options of the query. */
struct options {
	bool in;
	enum apsp_arc_sort sort;
	uint64_t first; /* number of arcs on the pages before this one */
	uint64_t limit; /* the largest number of arcs on this page */
};

/* The state of one reply; the reply's stream owns it. */
struct arc_rows {
	struct apsp_vertex_reading *reading;
	struct apsp_share share; /* memory that is reserved in the common budget
				    of all answers */
	struct options options;
	struct apsp_arc_order order;
	uint64_t end; /* number of arcs on this page and on all earlier pages */
};

/* An arc, and its length or width. */
struct arc {
	uint32_t from, to;
	double weight, length;
};

static void arc_rows_free(void *ctx)
{
	struct arc_rows *rows = ctx;

	if (!rows)
		return;
	apsp_vertex_reading_free(rows->reading);
	apsp_share_close(&rows->share);
	apsp_arc_order_done(&rows->order);
	free(rows);
}

APSP_AUTO_DEFINE(arc_rows_end, struct arc_rows, arc_rows_free);

/* Read the query. rows_begin() checks the order later, when the profile is
   known. */
static int options_read(struct apsp_request *req, struct options *out,
	bool *out_width, struct apsp_err *err)
{
	const char *sort = apsp_query_get(req, "sort");
	int r;

	*out_width = sort && strcmp(sort, "width") == 0;
	if (sort && strcmp(sort, "weight") == 0)
		out->sort = APSP_ARC_SORT_WEIGHT;
	else if (sort && (strcmp(sort, "length") == 0 || *out_width))
		out->sort = APSP_ARC_SORT_LENGTH;
	else if (sort)
		return apsp_fail(err, APSP_EMALFORMED,
			"sort is '%.40s', expected weight, length or width",
			sort);
	r = apsp_query_choice(req, "direction", "out", "in", &out->in, err);
	if (r == 0)
		r = apsp_query_uint(req, "limit", 1, APSP_VERTICES_PAGE_MAX,
			UINT32_MAX, &out->limit, err);
	if (r == 0)
		r = apsp_query_uint(
			req, "cursor", 0, UINT32_MAX, 0, &out->first, err);
	return r;
}

/* Read the next arc. */
static int arc_read(
	struct arc_rows *rows, struct arc *out, struct apsp_err *err)
{
	struct apsp_tables *tables = rows->reading->reading.tables;
	int r;

	apsp_arc_order_next(&rows->order, &out->from, &out->to);
	r = apsp_table_read_arc(
		tables, out->from, out->to, &out->weight, &out->length, err);
	/* if paths are widest, the length is the rank of the width */
	if (r == 0 && apsp_reading_is_widest(&rows->reading->reading))
		r = apsp_pair_width_of_rank(
			tables, out->length, &out->length, err);
	return r < 0 ? r : apsp_tables_trust(tables, err);
}

/* Whether the answer has the arcs of all vertices. */
static bool is_whole(const struct arc_rows *rows)
{
	return rows->reading->v == APSP_ALL_VERTICES;
}

static void cells_write(const struct arc_rows *rows, const struct arc *arc,
	struct apsp_cells *cells)
{
	const struct apsp_generation *generation =
		rows->reading->reading.generation;
	const char *const names[] = {"from", "to", "weight",
		apsp_reading_is_widest(&rows->reading->reading) ? "width"
								: "length",
		NULL};
	bool whole = is_whole(rows);
	/* an attribute's name with the prefix "from_" or "to_" differs from the
	   names of all other columns */
	const char *const *own = whole ? NULL : names;

	apsp_cells_begin(cells);
	apsp_label_cell(cells, names[0], generation->labels, arc->from);
	apsp_label_cell(cells, names[1], generation->labels, arc->to);
	apsp_cell_real(cells, names[2], arc->weight);
	apsp_cell_real(cells, names[3], arc->length);
	if (whole || rows->options.in)
		apsp_attribute_cells(generation, arc->from,
			whole ? "from_" : "", own, cells);
	if (whole || !rows->options.in)
		apsp_attribute_cells(
			generation, arc->to, whole ? "to_" : "", own, cells);
	apsp_cells_end(cells);
}

static void names_write(void *ctx, struct apsp_cells *names)
{
	cells_write(ctx, &(struct arc){0}, names);
}

/* Skip arcs of earlier pages. Returns true if more arcs must be skipped. */
static bool pages_skip(struct arc_rows *rows)
{
	struct apsp_arc_order *order = &rows->order;
	uint64_t first = rows->options.first;
	uint32_t from, to;

	if (!order->keys)
		order->next = first;
	for (int i = 0; i < SKIPPED && order->next < first; i++)
		apsp_arc_order_next(order, &from, &to);
	return order->next < first;
}

static int arc_rows_write(
	void *ctx, struct apsp_cells *cells, struct apsp_err *err)
{
	struct arc_rows *rows = ctx;
	struct arc arc;
	int r;

	if (rows->order.next < rows->options.first && pages_skip(rows))
		return APSP_ROWS_LATER;
	if (rows->order.next >= rows->end)
		return 0;
	r = arc_read(rows, &arc, err);
	if (r < 0)
		return r;
	cells_write(rows, &arc, cells);
	return 1;
}

/* Reserve memory for the arcs, and begin to copy them. */
static int copy_begin(
	struct apsp_request *req, struct arc_rows *rows, struct apsp_err *err)
{
	struct apsp_vertex_reading *reading = rows->reading;
	const struct options *options = &rows->options;
	int r = apsp_request_share(req, &rows->share, err);

	return r < 0 ? r
		     : apsp_arc_order_init(reading->arcs, reading->v,
			       options->in, options->sort, &rows->share,
			       &rows->order, err);
}

/* When all arcs are copied, release the arcs of the profile, and find the end
   of the page. */
static void copy_end(struct arc_rows *rows)
{
	struct options *options = &rows->options;
	uint64_t left;

	apsp_vertex_reading_drop_arcs(rows->reading);
	if (options->first > rows->order.n)
		options->first = rows->order.n;
	left = rows->order.n - options->first;
	rows->end = options->first +
		    (left < options->limit ? left : options->limit);
}

/* Reply with the page. The reply owns the rows. */
static int page_reply(
	struct apsp_request *req, struct arc_rows *rows, struct apsp_err *err)
{
	APSP_AUTO(arc_rows_end) struct arc_rows *owned = rows;
	struct apsp_rows stream = {
		.begin = names_write,
		.write = arc_rows_write,
		.done = arc_rows_free,
		.in_pool = is_whole(rows) || rows->options.first > 0,
	};
	const struct apsp_reading *reading = &rows->reading->reading;
	bool last = rows->end >= rows->order.n;
	char cursor[24];
	int r;

	snprintf(cursor, sizeof(cursor), "%" PRIu64, rows->end);
	r = last ? 0 : apsp_list_page_link(req, cursor, err);
	if (r < 0)
		return r;
	if (req->format == APSP_REPLY_CSV) {
		stream.type = "text/csv; charset=utf-8";
	} else {
		stream.name = "arcs";
		stream.head = apsp_reading_answer(reading,
			json_pack("{s:s, s:s, s:I, s:s?}", "vertex",
				apsp_labels_get(reading->generation->labels,
					rows->reading->v, NULL),
				"direction", rows->options.in ? "in" : "out",
				"count", (json_int_t)rows->order.n, "next",
				last ? NULL : cursor));
	}
	stream.ctx = APSP_TAKE(owned);
	return apsp_rows_reply(req, &stream, err);
}

/* Open a reading (api/reading.h), load the arcs of the profile, and store the
   rows in req->state. Returns 1 if the arcs are not loaded yet, or if the
   request was answered with 304; the handler must then return 0. */
static int rows_begin(struct apsp_request *req, struct apsp_err *err)
{
	APSP_AUTO(arc_rows_end) struct arc_rows *rows = NULL;
	struct apsp_vertex_reading *reading;
	struct options options = {0};
	bool width;
	int r;

	r = options_read(req, &options, &width, err);
	if (r < 0)
		return r;
	r = apsp_vertex_reading_open(req, &reading, err);
	if (r == 0 && width)
		r = apsp_reading_needs(&reading->reading, APSP_PATH_WIDEST,
			"arcs in the order of their widths (sort=width)", err);
	else if (r == 0 && options.sort == APSP_ARC_SORT_LENGTH)
		r = apsp_reading_needs(&reading->reading, APSP_PATH_SHORTEST,
			"arcs in the order of their lengths (sort=length)",
			err);
	if (r != 0)
		return r;
	rows = calloc(1, sizeof(*rows));
	if (!rows)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	rows->reading = reading;
	rows->options = options;
	r = apsp_request_wait_memory(req, copy_begin(req, rows, err));
	if (r < 0) {
		/* the reading stays in req->state for the next call of this
		   function, so `rows` must not free it */
		rows->reading = NULL;
		return r;
	}
	req->state = APSP_TAKE(rows);
	req->state_free = arc_rows_free;
	return 0;
}

int apsp_profile_arcs_reply(struct apsp_request *req, struct apsp_err *err)
{
	struct arc_rows *rows;
	int r = 0;

	if (req->state_free != arc_rows_free)
		r = rows_begin(req, err);
	if (r != 0)
		return r < 0 ? r : 0;
	rows = req->state;
	while (apsp_arc_order_step(&rows->order, rows->reading->arcs))
		if (apsp_request_again(req))
			return 0;
	copy_end(rows);
	return page_reply(req, APSP_TAKE(req->state), err);
}
