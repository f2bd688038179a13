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
	struct apsp_reading reading;
	bool has_max_hops;
	uint32_t max_hops;
	struct apsp_shared_adjacency
		*arcs; /* the profile's arcs, owned; loaded only if the request
			  has max_hops */
	struct apsp_arc_range
		range; /* the search within max_hops arcs. If range.arcs is set,
			  this search has begun */
	struct apsp_reach_search search; /* until the search begins, only the
					    members `v` and `query` are set */
	bool searching;			 /* the search has begun */
	struct apsp_column *column; /* column of distances to the vertex; NULL:
				       the search needs no distances, or finds
				       them in the tables; owned */
	/* only vertices that match are in the answer */
	struct apsp_vertex_match match;
	unsigned int asked; /* the values that ?values= asks for, as bits of
			       enum apsp_row_value */
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
	apsp_reading_done(&rows->reading);
	free(rows);
}

APSP_AUTO_DEFINE(reach_rows_end, struct reach_rows, reach_rows_free);

static int query_read(
	struct apsp_request *req, struct reach_rows *rows, struct apsp_err *err)
{
	struct apsp_reach_query *out = &rows->search.query;
	uint64_t max_hops;
	bool in;
	int r;

	r = apsp_query_choice(req, "direction", "out", "in", &in, err);
	out->direction = in ? APSP_DIRECTION_IN : APSP_DIRECTION_OUT;
	if (r == 0)
		r = apsp_query_number(req, "max_distance",
			&out->has_max_distance, &out->max_distance, err);
	if (r == 0)
		r = apsp_query_number(req, "min_width", &out->has_min_width,
			&out->min_width, err);
	if (r == 0)
		r = apsp_query_uint(
			req, "max_hops", 0, UINT32_MAX, 0, &max_hops, err);
	if (r < 0)
		return r;
	rows->has_max_hops = apsp_query_get(req, "max_hops") != NULL;
	rows->max_hops = (uint32_t)max_hops;
	return apsp_value_names_read(req, &rows->asked, err);
}

/* Whether distances to the vertex are read from its column, because the graph
   has no tables. */
static bool is_by_column(const struct reach_rows *rows)
{
	return rows->search.query.direction == APSP_DIRECTION_IN &&
	       apsp_table_on_demand(&rows->reading.tables->header);
}

/*
 * Begin the search. If the graph has no tables, first get the rows that the
 * search and the values of the set need. With max_hops, the search itself needs
 * no row, because range_step() has already found all reachable vertices within
 * max_hops arcs.
 */
static int search_begin(
	struct apsp_request *req, struct reach_rows *rows, struct apsp_err *err)
{
	struct apsp_reach_query *query = &rows->search.query;
	const uint32_t *v = &rows->search.v;
	bool in = query->direction == APSP_DIRECTION_IN;
	bool distances = query->has_max_distance || rows->asked;
	int r = 0;

	if (!rows->has_max_hops || (distances && !in))
		r = apsp_reading_rows(req, &rows->reading,
			in ? APSP_DEMAND_TO : APSP_DEMAND_FROM, v, 1, err);
	if (r == 0 && distances && in)
		r = apsp_reading_rows(
			req, &rows->reading, APSP_DEMAND_COLUMN, v, 1, err);
	if (r == 0 && query->has_max_distance && is_by_column(rows) &&
		!rows->column)
		r = apsp_column_new(
			rows->reading.tables, *v, &rows->column, err);
	query->column = rows->column;
	if (r == 0)
		r = apsp_reach_search_begin(
			rows->reading.tables, *v, query, &rows->search, err);
	rows->searching = r == 0;
	return r;
}

/*
 * Begin the table that has the values of the set's vertices. The search has
 * found the set.
 */
static int table_begin(
	struct apsp_request *req, struct reach_rows *rows, struct apsp_err *err)
{
	APSP_AUTO(apsp_table_question_done)
	struct apsp_table_question q = {
		.of_vertex = true,
		.vertex = rows->search.v,
		.direction = rows->search.query.direction,
		.values = rows->asked,
		.is_set = true,
		.by_columns = is_by_column(rows),
	};
	struct apsp_reach_set *set = &rows->search.set;
	size_t n = 0;
	int r;

	r = apsp_lookup_on_cycle(
		rows->reading.tables, rows->search.v, &q.on_cycle, err);
	if (r == 0)
		r = apsp_request_share(req, &q.share, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < set->count; i++)
		if (apsp_vertex_match_has(&rows->match, set->vertices[i]))
			set->vertices[n++] = set->vertices[i];
	set->count = n;
	q.targets.n = n;
	q.steps = APSP_TAKE(rows->range.away);
	q.targets.vertices = APSP_TAKE(set->vertices);
	q.reading = APSP_TAKE(rows->reading);
	r = apsp_request_wait_memory(
		req, apsp_table_new(&q, req->format, &rows->table, err));
	/*
	 * give what the question took back to `rows`, because the handler may
	 * be called again
	 */
	if (r < 0) {
		set->vertices = APSP_TAKE(q.targets.vertices);
		rows->reading = APSP_TAKE(q.reading);
		rows->range.away = APSP_TAKE(q.steps);
	}
	return r;
}

/*
 * Read the request and store it in req->state. Returns 1 if the request was
 * answered with 304.
 */
static int begin(struct apsp_request *req, struct apsp_err *err)
{
	APSP_AUTO(reach_rows_end) struct reach_rows *rows = NULL;
	const struct apsp_reach_query *query;
	uint32_t small;
	int r;

	rows = calloc(1, sizeof(*rows));
	if (!rows)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	query = &rows->search.query;
	r = query_read(req, rows, err);
	if (r == 0)
		r = apsp_reading_open(req, &rows->reading, err);
	if (r == 0)
		r = apsp_value_names_settle(
			&rows->reading, 0, &rows->asked, err);
	if (r == 0)
		r = apsp_reading_bounds(&rows->reading, query->has_max_distance,
			query->has_min_width, err);
	if (r < 0)
		return r;
	small = query->has_max_distance || query->has_min_width ? SMALL_BOUNDED
								: SMALL_FREE;
	r = apsp_reading_vertex(
		req, &rows->reading, req->params[1], &rows->search.v, err);
	if (r == 0 && (rows->has_max_hops || rows->asked ||
			      rows->reading.generation->n_vertices > small))
		r = apsp_request_move(req, err);
	if (r < 0)
		return r;
	r = apsp_vertex_match_read(
		req, rows->reading.generation, &rows->match, err);
	if (r == 0)
		r = apsp_reading_etag(
			req, &rows->reading, rows->match.bits != NULL, err);
	if (r != 0)
		return r;
	req->state = APSP_TAKE(rows);
	req->state_free = reach_rows_free;
	return 0;
}

/*
 * Find the vertices within max_hops arcs. Returns 1 if more steps are needed:
 * the handler must then return 0, and will be called again.
 */
static int range_step(
	struct apsp_request *req, struct reach_rows *rows, struct apsp_err *err)
{
	struct apsp_reach_search *search = &rows->search;
	int r;

	if (!rows->has_max_hops || search->query.within)
		return 0;
	r = apsp_reading_arcs(req, &rows->reading, &rows->arcs, err);
	if (r == 0 && !rows->range.arcs)
		r = apsp_arc_range_begin(apsp_adjacency_cache_arcs(rows->arcs),
			&search->v, 1, search->query.direction, rows->max_hops,
			&rows->range, err);
	if (r != 0)
		return r;
	while (apsp_arc_range_step(&rows->range) > 0)
		if (apsp_request_again(req))
			return 1;
	search->query.within = rows->range.within;
	return 0;
}

/*
 * Find the set of vertices, and then read their values. Returns 1 if more steps
 * are needed: the handler must then return 0, and will be called again.
 */
static int find(
	struct apsp_request *req, struct reach_rows *rows, struct apsp_err *err)
{
	int r = rows->table ? 0 : range_step(req, rows, err);

	if (r == 0 && !rows->searching)
		r = search_begin(req, rows, err);
	while (r == 0 && !rows->table) {
		r = apsp_reach_search_step(&rows->search, err);
		if (r == 0)
			r = table_begin(req, rows, err);
		else if (r > 0)
			r = apsp_request_again(req);
	}
	while (r == 0) {
		r = apsp_table_read(rows->table, err);
		if (r <= 0)
			return r;
		r = apsp_request_again(req);
	}
	return r;
}

int apsp_api_get_reach_set(struct apsp_request *req, struct apsp_err *err)
{
	struct reach_rows *rows;
	struct apsp_table *table;
	int r = req->state ? 0 : begin(req, err);

	if (r != 0)
		return r < 0 ? r : 0;
	rows = req->state;
	r = find(req, rows, err);
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
