/*
 * GET /v1/graphs/{graph}/vertices/{vertex}/arcs?direction=out|in: the arcs of
 * one vertex in a profile, with their lengths or widths. Parallel arcs are
 * merged. Self-loops and arcs that the rule drops are left out. Lengths are
 * read from the table file row by row, so that the arcs need not stay in memory
 * while a client reads the answer.
 */
#include <stdlib.h>
#include <string.h>

#include "api/handlers.h"
#include "api/http/query.h"
#include "api/http/rows.h"
#include "api/label_text.h"
#include "api/vertices/vertex_reading.h"
#include "daemon/base/auto.h"
#include "daemon/base/budget.h"
#include "storage/tables/pair_width.h"
#include "storage/tables/table_read.h"
#include "storage/tables/tables.h"

/* Owned by the stream of arcs. */
struct arc_rows {
	struct apsp_vertex_reading *reading;
	struct apsp_share share; /* memory that is reserved in the common budget
				    of all answers */
	bool in;
	uint64_t next, n;
	uint32_t
		*others; /* the vertices at the other ends of the arcs; owned */
};

static void arc_rows_free(void *ctx)
{
	struct arc_rows *rows = ctx;

	if (!rows)
		return;
	apsp_vertex_reading_free(rows->reading);
	apsp_share_close(&rows->share);
	free(rows->others);
	free(rows);
}

APSP_AUTO_DEFINE(arc_rows_end, struct arc_rows, arc_rows_free);

static int arc_rows_write(
	void *ctx, struct apsp_json_writer *w, struct apsp_err *err)
{
	struct arc_rows *rows = ctx;
	struct apsp_tables *tables = rows->reading->reading.tables;
	const struct apsp_labels *labels =
		rows->reading->reading.generation->labels;
	bool widest = apsp_reading_is_widest(&rows->reading->reading);
	uint32_t from = rows->reading->v, to = from;
	double weight, length;
	int r;

	if (rows->next == rows->n)
		return 0;
	if (rows->in)
		from = rows->others[rows->next++];
	else
		to = rows->others[rows->next++];
	r = apsp_table_read_arc(tables, from, to, &weight, &length, err);
	if (r == 0 && widest) /* the length is the rank of the width */
		r = apsp_pair_width_of_rank(tables, length, &length, err);
	if (r == 0)
		r = apsp_tables_trust(tables, err);
	if (r < 0)
		return r;
	apsp_json_object(w);
	apsp_label_member(w, "from", labels, from);
	apsp_label_member(w, "to", labels, to);
	apsp_json_real_member(w, "weight", weight);
	apsp_json_real_member(w, widest ? "width" : "length", length);
	apsp_json_object_end(w);
	return 1;
}

/* Copy the vertices at the other ends of the arcs, and release the arcs. */
static int others_copy(
	struct apsp_request *req, struct arc_rows *rows, struct apsp_err *err)
{
	struct apsp_vertex_reading *reading = rows->reading;
	const struct apsp_adjacency *arcs = reading->arcs;
	const uint64_t *offsets =
		rows->in ? arcs->in_offsets : arcs->out_offsets;
	uint64_t first = offsets[reading->v];
	size_t size;
	int r;

	rows->n = offsets[reading->v + 1] - first;
	size = rows->n * sizeof(*rows->others);
	r = apsp_request_share(req, &rows->share, err);
	if (r == 0)
		r = apsp_share_set(&rows->share, size, "the arcs", err);
	if (r < 0)
		return r;
	rows->others = malloc(size + 1);
	if (!rows->others)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	memcpy(rows->others, (rows->in ? arcs->tails : arcs->heads) + first,
		size);
	apsp_vertex_reading_drop_arcs(reading);
	return 0;
}

int apsp_api_list_vertex_arcs(struct apsp_request *req, struct apsp_err *err)
{
	APSP_AUTO(arc_rows_end) struct arc_rows *rows = NULL;
	struct apsp_rows stream = {
		.name = "arcs",
		.write = arc_rows_write,
		.done = arc_rows_free,
	};
	struct apsp_vertex_reading *vertex;
	const struct apsp_reading *reading;
	bool in;
	int r;

	r = apsp_query_choice(req, "direction", "out", "in", &in, err);
	if (r < 0)
		return r;
	r = apsp_vertex_reading_open(req, &vertex, err);
	if (r != 0)
		return r < 0 ? r : 0;
	rows = calloc(1, sizeof(*rows));
	if (!rows)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	rows->reading = APSP_TAKE(req->state);
	rows->in = in;
	r = apsp_request_wait_memory(req, others_copy(req, rows, err));
	if (r < 0)
		return r;
	reading = &rows->reading->reading;
	stream.head = apsp_reading_answer(
		reading, json_pack("{s:s, s:s, s:I}", "vertex",
				 apsp_labels_get(reading->generation->labels,
					 rows->reading->v, NULL),
				 "direction", in ? "in" : "out", "count",
				 (json_int_t)rows->n));
	stream.ctx = APSP_TAKE(rows);
	return apsp_rows_reply(req, &stream, err);
}
