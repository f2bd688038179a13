/*
 * GET /v1/graphs/{graph}/vertices/{vertex}/reachable: the vertices that a
 * vertex reaches, or that reach it. Searches of large graphs run on the pool,
 * in parts.
 */
#include <stdlib.h>

#include "api/handlers.h"
#include "api/http/query.h"
#include "api/reading.h"
#include "api/tables/table.h"
#include "api/vertex_match.h"
#include "daemon/base/auto.h"
#include "storage/search/arc_range.h"
#include "storage/tables/column.h"
#include "storage/tables/lookup.h"
#include "storage/tables/reach_set.h"

enum {
	/*
	 * Largest numbers of vertices for which a search takes at most two
	 * milliseconds: SMALL_BOUNDED if the search has max_distance or
	 * min_width, SMALL_FREE if it has neither.
	 */
	SMALL_BOUNDED = 1024,
	SMALL_FREE = 65536,
};

/* The state of the request. The request owns this struct. */
struct reach_rows {
	size_t phase; /* index in `phases` */
	/* The question. begin() sets its vertex, direction and values; search()
	   sets its targets. */
	struct apsp_table_question q;
	bool has_max_hops;
	uint32_t max_hops;
	struct apsp_shared_adjacency
		*arcs; /* the profile's arcs, owned; loaded only if the request
			  has max_hops */
	/* the search within max_hops arcs; `range.arcs` is NULL until it
	   begins */
	struct apsp_arc_range range;
	struct apsp_reach_search search;
	struct apsp_column *column; /* column of distances to the vertex; NULL:
				       the search needs no distances, or finds
				       them in the tables; owned */
	/* only vertices that match are in the answer */
	struct apsp_vertex_match match;
	struct apsp_table *table; /* NULL until the set is found; owned */
};

static void reach_rows_free(void *ctx)
{
	struct reach_rows *rows = ctx;

	if (!rows)
		return;
	apsp_table_free(rows->table);
	apsp_reach_search_done(&rows->search);
	apsp_column_free(rows->column);
	apsp_vertex_match_done(&rows->match);
	apsp_arc_range_done(&rows->range);
	apsp_adjacency_cache_close(rows->arcs);
	apsp_table_question_done(&rows->q);
	free(rows);
}

APSP_AUTO_DEFINE(reach_rows_end, struct reach_rows, reach_rows_free);

static int query_read(
	struct apsp_request *req, struct reach_rows *rows, struct apsp_err *err)
{
	struct apsp_table_question *q = &rows->q;
	uint64_t max_hops;
	bool in;
	int r;

	r = apsp_query_choice(req, "direction", "out", "in", &in, err);
	if (r == 0)
		r = apsp_query_uint(
			req, "max_hops", 0, UINT32_MAX, 0, &max_hops, err);
	if (r < 0)
		return r;
	q->of_vertex = q->is_set = true;
	q->direction = in ? APSP_DIRECTION_IN : APSP_DIRECTION_OUT;
	rows->has_max_hops = apsp_query_get(req, "max_hops") != NULL;
	rows->max_hops = (uint32_t)max_hops;
	r = apsp_table_question_open(req, q, err);
	if (r < 0)
		return r;
	rows->search.query = (struct apsp_reach_query){
		.direction = q->direction,
		.has_max_distance = q->filter.has_max_distance,
		.max_distance = q->filter.max_distance,
		.has_min_width = q->filter.has_min_width,
		.min_width = q->filter.min_width,
	};
	/* the search applies max_distance and min_width, so the table needs no
	   filter */
	q->filter = (struct apsp_pair_filter){0};
	return apsp_value_names_settle(&q->reading, 0, &q->values, err);
}

/*
 * Read the request and store it in req->state. Returns 1 if the request was
 * answered with 304.
 */
static int begin(struct apsp_request *req, struct apsp_err *err)
{
	APSP_AUTO(reach_rows_end) struct reach_rows *rows = NULL;
	const struct apsp_reach_query *query;
	const struct apsp_reading *reading;
	uint32_t small;
	int r;

	rows = calloc(1, sizeof(*rows));
	if (!rows)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	query = &rows->search.query;
	reading = &rows->q.reading;
	r = query_read(req, rows, err);
	if (r == 0)
		r = apsp_reading_vertex(
			req, reading, req->params[1], &rows->q.vertex, err);
	if (r < 0)
		return r;
	small = query->has_max_distance || query->has_min_width ? SMALL_BOUNDED
								: SMALL_FREE;
	if (rows->has_max_hops || rows->q.values ||
		reading->generation->n_vertices > small)
		r = apsp_request_move(req, err);
	if (r == 0)
		r = apsp_vertex_match_read(
			req, reading->generation, &rows->match, err);
	if (r == 0)
		r = apsp_reading_etag(
			req, reading, rows->match.bits != NULL, err);
	if (r != 0)
		return r;
	req->state = APSP_TAKE(rows);
	req->state_free = reach_rows_free;
	return 0;
}

/* Find the vertices within max_hops arcs. */
static int range(
	struct apsp_request *req, struct reach_rows *rows, struct apsp_err *err)
{
	struct apsp_table_question *q = &rows->q;
	int r;

	if (!rows->has_max_hops)
		return 0;
	r = apsp_reading_arcs(req, &q->reading, &rows->arcs, err);
	if (r == 0 && !rows->range.arcs)
		r = apsp_arc_range_begin(apsp_adjacency_cache_arcs(rows->arcs),
			&q->vertex, 1, q->direction, rows->max_hops,
			&rows->range, err);
	if (r != 0)
		return r;
	while (apsp_arc_range_step(&rows->range) > 0)
		if (apsp_request_again(req))
			return 1;
	rows->search.query.within = rows->range.within;
	q->steps = APSP_TAKE(rows->range.away);
	return 0;
}

/*
 * Begin the search. If the graph has no tables, first get what the search and
 * the values in the answer need: for `out` the row from the vertex; for `in`
 * the row of bits of the vertices that reach it, and also the column if
 * distances are needed. With max_hops, the search itself needs no row, because
 * range() has already found all reachable vertices within max_hops arcs.
 */
static int search_begin(
	struct apsp_request *req, struct reach_rows *rows, struct apsp_err *err)
{
	struct apsp_table_question *q = &rows->q;
	struct apsp_reach_query *query = &rows->search.query;
	struct apsp_tables *tables = q->reading.tables;
	bool in = q->direction == APSP_DIRECTION_IN;
	bool distances = query->has_max_distance || q->values;
	int r = 0;

	/* if the graph has no tables, distances to the vertex are read from its
	   column */
	q->by_columns = in && apsp_table_on_demand(&tables->header);
	if (!rows->has_max_hops || (distances && !in))
		r = apsp_reading_rows(req, &q->reading,
			in ? APSP_DEMAND_TO : APSP_DEMAND_FROM, &q->vertex, 1,
			err);
	if (r == 0 && distances && in)
		r = apsp_reading_rows(req, &q->reading, APSP_DEMAND_COLUMN,
			&q->vertex, 1, err);
	if (r == 0 && query->has_max_distance && q->by_columns && !rows->column)
		r = apsp_column_new(tables, q->vertex, &rows->column, err);
	query->column = rows->column;
	return r < 0 ? r
		     : apsp_reach_search_begin(
			       tables, q->vertex, &rows->search, err);
}

/* Find the set, and keep the vertices that match. */
static int search(
	struct apsp_request *req, struct reach_rows *rows, struct apsp_err *err)
{
	struct apsp_reach_set *set = &rows->search.set;
	struct apsp_table_question *q = &rows->q;
	int r;

	while ((r = apsp_reach_search_step(&rows->search, err)) > 0)
		if (apsp_request_again(req))
			return 1;
	if (r == 0)
		r = apsp_lookup_on_cycle(
			q->reading.tables, q->vertex, &q->on_cycle, err);
	if (r == 0)
		r = apsp_request_share(req, &q->share, err);
	if (r < 0)
		return r;
	q->targets.vertices = APSP_TAKE(set->vertices);
	q->targets.n = set->count;
	apsp_vertex_set_keep(&q->targets, &rows->match);
	return 0;
}

/* Begin the table that has the values of the set's vertices, and read it. */
static int table_read(
	struct apsp_request *req, struct reach_rows *rows, struct apsp_err *err)
{
	int r = rows->table ? 0
			    : apsp_request_wait_memory(
				      req, apsp_table_new(&rows->q, req->format,
						   &rows->table, err));

	if (r < 0)
		return r;
	while ((r = apsp_table_read(rows->table, err)) > 0)
		if (apsp_request_again(req))
			return 1;
	return r;
}

/*
 * The phases of the work, in order. A phase returns 0 when it is complete, 1 if
 * the handler must return 0 and is then called again, or a negative code. If a
 * phase waits for memory or rows (APSP_EBUSY), the same phase is called again.
 */
static int (*const phases[])(struct apsp_request *req, struct reach_rows *rows,
	struct apsp_err *err) = {
	range,
	search_begin,
	search,
	table_read,
};

int apsp_api_get_reach_set(struct apsp_request *req, struct apsp_err *err)
{
	struct reach_rows *rows;
	struct apsp_table *table;
	int r = req->state ? 0 : begin(req, err);

	rows = req->state;
	while (r == 0 && rows->phase < sizeof(phases) / sizeof(*phases)) {
		r = phases[rows->phase](req, rows, err);
		rows->phase += r == 0;
	}
	if (r != 0)
		return r < 0 ? r : 0;
	table = APSP_TAKE(rows->table);
	/*
	 * free the search and the arcs, which are not needed while a client
	 * reads the answer
	 */
	req->state = NULL;
	reach_rows_free(rows);
	return apsp_table_reply(req, MHD_HTTP_OK, table, err);
}
