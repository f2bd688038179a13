/*
 * Arcs of a profile, with their lengths or widths; see profile_arcs.h. The ends
 * of the arcs are copied. If the arcs must be sorted, the copies are a heap. So
 * the first arcs are found without sorting all arcs, and finding the next arc
 * takes logarithmic time. Weights and lengths are read from the table file row
 * by row, so that the arcs of the profile need not stay in memory while a
 * client reads the answer.
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
#include "api/attribute_row.h"
#include "api/vertices/vertex_reading.h"
#include "daemon/base/auto.h"
#include "daemon/base/budget.h"
#include "daemon/base/limits.h"
#include "storage/tables/pair_width.h"
#include "storage/tables/table_read.h"
#include "storage/tables/tables.h"

enum {
	STEP_ARCS = 65536, /* number of arcs that one step copies or sorts */
	SKIPPED = 4096, /* number of sorted arcs of earlier pages that one call
			   skips */
};

enum sort {
	SORT_NONE,
	SORT_WEIGHT, /* the greatest weight first */
	SORT_LENGTH, /* the least length first */
	SORT_WIDTH,  /* the greatest width first. The arcs' lengths are then the
			ranks of their widths, and the lowest rank is the
			greatest width */
};

/*
 * The state of the request. The request owns this struct until the reply
 * begins; then the reply's stream owns it. Arcs with equal weights, or with
 * equal lengths, are sorted by tail, and arcs with the same tail by head.
 */
struct arc_rows {
	struct apsp_vertex_reading reading;
	struct apsp_share share; /* memory that is reserved in the common budget
				    of all answers */

	/* the query */
	bool in; /* true: the arcs into the vertex; false: the arcs out of it */
	enum sort sort;
	uint64_t first; /* number of arcs on the pages before this one */
	uint64_t limit; /* the largest number of arcs on this page */

	uint64_t first_arc; /* index of the first arc of the request's vertex in
			       the list of all arcs, which is sorted by tail or,
			       if `in` is set, by head; 0 if the answer has the
			       arcs of all vertices */
	uint64_t n;	    /* number of arcs */
	uint64_t end;	    /* number of arcs on this page and on all earlier
			       pages */
	uint64_t next;	    /* number of arcs that were written or skipped */
	uint64_t copied;    /* number of arcs that were copied */
	uint64_t unsunk;    /* while the heap is built: the number of its inner
			       nodes that sink() must still move to their places;
			       0: the heap is complete */
	uint32_t tail;	    /* the tail of the arc that was copied last */
	/*
	 * For each arc, one of its ends: the head if the answer has all arcs,
	 * otherwise the end that is not the vertex of the request. Owned. NULL:
	 * copying has not begun. If `keys` is set, the first n - next elements
	 * are a heap of the arcs that were neither written nor skipped yet.
	 */
	uint32_t *others;
	uint32_t *tails; /* owned; parallel to `others`: the tails of all arcs;
			    NULL: the arcs are those of one vertex */
	double *keys;	 /* owned; parallel to `others`: the arc with the least
			    key comes first. NULL: the arcs are not sorted */
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
	apsp_vertex_reading_done(&rows->reading);
	apsp_share_close(&rows->share);
	free(rows->others);
	free(rows->tails);
	free(rows->keys);
	free(rows);
}

APSP_AUTO_DEFINE(arc_rows_end, struct arc_rows, arc_rows_free);

/* Read the query. rows_begin() checks later, when the profile is known, whether
   the arcs can be sorted as ?sort= says. */
static int query_read(
	struct apsp_request *req, struct arc_rows *rows, struct apsp_err *err)
{
	const char *sort = apsp_query_get(req, "sort");
	int r;

	if (sort && strcmp(sort, "weight") == 0)
		rows->sort = SORT_WEIGHT;
	else if (sort && strcmp(sort, "length") == 0)
		rows->sort = SORT_LENGTH;
	else if (sort && strcmp(sort, "width") == 0)
		rows->sort = SORT_WIDTH;
	else if (sort)
		return apsp_fail(err, APSP_EMALFORMED,
			"sort is '%.40s', expected weight, length or width",
			sort);
	r = apsp_query_choice(req, "direction", "out", "in", &rows->in, err);
	if (r == 0)
		r = apsp_query_uint(req, "limit", 1, APSP_VERTICES_PAGE_MAX,
			UINT32_MAX, &rows->limit, err);
	if (r == 0)
		r = apsp_query_uint(
			req, "cursor", 0, UINT32_MAX, 0, &rows->first, err);
	return r;
}

/* Whether the answer has the arcs of all vertices. */
static bool is_whole(const struct arc_rows *rows)
{
	return rows->reading.v == APSP_ALL_VERTICES;
}

static bool comes_before(const struct arc_rows *rows, uint64_t a, uint64_t b)
{
	if (rows->keys[a] != rows->keys[b])
		return rows->keys[a] < rows->keys[b];
	if (rows->tails && rows->tails[a] != rows->tails[b])
		return rows->tails[a] < rows->tails[b];
	return rows->others[a] < rows->others[b];
}

static void swap(struct arc_rows *rows, uint64_t a, uint64_t b)
{
	uint32_t other = rows->others[a];
	double key = rows->keys[a];
	uint32_t tail;

	rows->others[a] = rows->others[b];
	rows->keys[a] = rows->keys[b];
	rows->others[b] = other;
	rows->keys[b] = key;
	if (!rows->tails)
		return;
	tail = rows->tails[a];
	rows->tails[a] = rows->tails[b];
	rows->tails[b] = tail;
}

/* Move the arc at index i down to its place in the heap of n arcs. */
static void sink(struct arc_rows *rows, uint64_t i, uint64_t n)
{
	for (uint64_t child = 2 * i + 1; child < n; child = 2 * i + 1) {
		if (child + 1 < n && comes_before(rows, child + 1, child))
			child++;
		if (comes_before(rows, i, child))
			return;
		swap(rows, i, child);
		i = child;
	}
}

/* Reserve memory for the copies of arcs. */
static int copies_new(
	struct apsp_request *req, struct arc_rows *rows, struct apsp_err *err)
{
	bool whole = is_whole(rows), sorted = rows->sort != SORT_NONE;
	uint64_t n = rows->n;
	size_t size = sizeof(*rows->others) +
		      (whole ? sizeof(*rows->tails) : 0) +
		      (sorted ? sizeof(*rows->keys) : 0);
	int r = rows->share.budget ? 0
				   : apsp_request_share(req, &rows->share, err);

	if (r == 0)
		r = apsp_share_set(&rows->share, n * size, "the arcs", err);
	if (r < 0)
		return r;
	rows->unsunk = n / 2;
	if (whole)
		rows->tails = malloc(n * sizeof(*rows->tails) + 1);
	if (sorted)
		rows->keys = malloc(n * sizeof(*rows->keys) + 1);
	if ((!whole || rows->tails) && (!sorted || rows->keys))
		rows->others = malloc(n * sizeof(*rows->others) + 1);
	return rows->others ? 0 : apsp_fail(err, APSP_ENOMEM, "out of memory");
}

/* Do one step of copying and sorting. A step takes a few milliseconds. Returns
   true if more steps are needed. */
static bool copy_step(struct arc_rows *rows)
{
	const struct apsp_adjacency *arcs =
		apsp_adjacency_cache_arcs(rows->reading.arcs);

	for (int n = 0; n < STEP_ARCS && rows->copied < rows->n; n++) {
		uint64_t i = rows->copied++;
		/* index of the arc in the list that is sorted by tail or, if
		   rows->in is set, by head; `out` is the arc's index in the
		   list sorted by tail */
		uint64_t arc = rows->first_arc + i;
		uint64_t out = rows->in ? arcs->in_arcs[arc] : arc;

		rows->others[i] = (rows->in ? arcs->tails : arcs->heads)[arc];
		if (rows->keys)
			rows->keys[i] = rows->sort == SORT_WEIGHT
						? -arcs->weights[out]
						: arcs->lengths[out];
		if (!rows->tails)
			continue;
		while (arcs->out_offsets[rows->tail + 1] <= arc)
			rows->tail++;
		rows->tails[i] = rows->tail;
	}
	if (rows->copied < rows->n)
		return true;
	for (int i = 0; i < STEP_ARCS && rows->keys && rows->unsunk > 0; i++)
		sink(rows, --rows->unsunk, rows->n);
	return rows->keys && rows->unsunk > 0;
}

/* Store the ends of the next arc. The caller has checked that an arc is
   left. */
static void next_arc(
	struct arc_rows *rows, uint32_t *out_from, uint32_t *out_to)
{
	uint64_t at = rows->next++;
	uint32_t own, other;

	if (rows->keys) {
		/* the next arc is the root of the heap. Move it behind the
		   heap, which then has one arc less */
		at = rows->n - rows->next;
		swap(rows, 0, at);
		sink(rows, 0, at);
	}
	own = rows->tails ? rows->tails[at] : rows->reading.v;
	other = rows->others[at];
	*out_from = rows->in ? other : own;
	*out_to = rows->in ? own : other;
}

/* Read the next arc. */
static int arc_read(
	struct arc_rows *rows, struct arc *out, struct apsp_err *err)
{
	struct apsp_tables *tables = rows->reading.reading.tables;
	int r;

	next_arc(rows, &out->from, &out->to);
	r = apsp_table_read_arc(
		tables, out->from, out->to, &out->weight, &out->length, err);
	/* in a profile of widest paths, the length of an arc is the rank of its
	   width: the index of the width in the descending list of all widths.
	   Replace the rank by the width */
	if (r == 0 && apsp_reading_is_widest(&rows->reading.reading))
		r = apsp_pair_width_of_rank(
			tables, out->length, &out->length, err);
	return r < 0 ? r : apsp_tables_trust(tables, err);
}

static void cells_write(const struct arc_rows *rows, const struct arc *arc,
	struct apsp_cells *cells)
{
	const struct apsp_generation *generation =
		rows->reading.reading.generation;
	const char *const names[] = {"from", "to", "weight",
		apsp_reading_is_widest(&rows->reading.reading) ? "width"
							       : "length",
		NULL};
	bool whole = is_whole(rows);
	/* `own` has the names of the answer's own columns, from which the names
	   of attributes must differ. If `whole`, these get the prefixes "from_"
	   and "to_", and differ anyway */
	const char *const *own = whole ? NULL : names;

	apsp_cells_begin(cells);
	apsp_label_cell(cells, names[0], generation->labels, arc->from);
	apsp_label_cell(cells, names[1], generation->labels, arc->to);
	apsp_cell_real(cells, names[2], arc->weight);
	apsp_cell_real(cells, names[3], arc->length);
	if (whole || rows->in)
		apsp_attribute_cells(generation, arc->from,
			whole ? "from_" : "", own, cells);
	if (whole || !rows->in)
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
	uint32_t from, to;

	if (!rows->keys)
		rows->next = rows->first;
	for (int i = 0; i < SKIPPED && rows->next < rows->first; i++)
		next_arc(rows, &from, &to);
	return rows->next < rows->first;
}

static int arc_rows_write(
	void *ctx, struct apsp_cells *cells, struct apsp_err *err)
{
	struct arc_rows *rows = ctx;
	struct arc arc;
	int r;

	if (rows->next < rows->first && pages_skip(rows))
		return APSP_ROWS_LATER;
	if (rows->next >= rows->end)
		return 0;
	r = arc_read(rows, &arc, err);
	if (r < 0)
		return r;
	cells_write(rows, &arc, cells);
	return 1;
}

/* When all arcs are copied, release the arcs of the profile, and find the end
   of the page. */
static void copy_end(struct arc_rows *rows)
{
	uint64_t left;

	apsp_adjacency_cache_close(APSP_TAKE(rows->reading.arcs));
	if (rows->first > rows->n)
		rows->first = rows->n;
	left = rows->n - rows->first;
	rows->end = rows->first + (left < rows->limit ? left : rows->limit);
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
		.in_pool = is_whole(rows) || rows->first > 0,
	};
	const struct apsp_reading *reading = &rows->reading.reading;
	bool last = rows->end >= rows->n;
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
					rows->reading.v, NULL),
				"direction", rows->in ? "in" : "out", "count",
				(json_int_t)rows->n, "next",
				last ? NULL : cursor));
	}
	stream.ctx = APSP_TAKE(owned);
	return apsp_rows_reply(req, &stream, err);
}

/* Open a reading (api/reading.h), load the arcs of the profile, and begin to
   copy them. Returns 1 if the arcs are not loaded yet, or if the request was
   answered with 304; the handler must then return 0. */
static int rows_begin(
	struct apsp_request *req, struct arc_rows *rows, struct apsp_err *err)
{
	const struct apsp_reading *reading = &rows->reading.reading;
	const struct apsp_adjacency *arcs;
	const uint64_t *offsets;
	int r = apsp_vertex_reading_open(req, &rows->reading, err);

	if (r == 0 && rows->sort == SORT_WIDTH)
		r = apsp_reading_needs(reading, APSP_PATH_WIDEST,
			"arcs in the order of their widths (sort=width)", err);
	else if (r == 0 && rows->sort == SORT_LENGTH)
		r = apsp_reading_needs(reading, APSP_PATH_SHORTEST,
			"arcs in the order of their lengths (sort=length)",
			err);
	if (r != 0)
		return r;
	arcs = apsp_adjacency_cache_arcs(rows->reading.arcs);
	offsets = rows->in ? arcs->in_offsets : arcs->out_offsets;
	rows->n = arcs->n_arcs;
	if (!is_whole(rows)) {
		rows->first_arc = offsets[rows->reading.v];
		rows->n = offsets[rows->reading.v + 1] - rows->first_arc;
	}
	return apsp_request_wait_memory(req, copies_new(req, rows, err));
}

int apsp_profile_arcs_reply(struct apsp_request *req, struct apsp_err *err)
{
	struct arc_rows *rows = req->state;
	int r = 0;

	if (!rows) {
		rows = apsp_request_state(
			req, sizeof(*rows), arc_rows_free, err);
		if (!rows)
			return APSP_ENOMEM;
		r = query_read(req, rows, err);
	}
	if (r == 0 && !rows->others)
		r = rows_begin(req, rows, err);
	if (r != 0)
		return r < 0 ? r : 0;
	while (copy_step(rows))
		if (apsp_request_again(req))
			return 0;
	copy_end(rows);
	return page_reply(req, APSP_TAKE(req->state), err);
}
