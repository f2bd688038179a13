/*
 * POST /v1/graphs/{graph}/reachable: the vertices that a set of vertices
 * reaches, or that reach the set.
 *
 *	{"sources":{"match":["type:PN"]},"max_hops":2}
 *	{"targets":["a","b"],"direction":"in","max_distance":3}
 *	{"sources":["a"],"min_width":5}		in a profile of widest paths
 *
 * Paths lead from the sources to the targets. With direction "out", the answer
 * has the targets that some source reaches, and the body may omit the targets.
 * With "in", the answer has the sources that reach some target, and the body
 * may omit the sources. An omitted set has all vertices.
 *
 * For each vertex of the answer, `steps` is the least number of arcs from or to
 * any vertex of the set. If distances are wanted, `distance` is the least
 * distance from or to any vertex of the set, and `nearest` is the first vertex
 * of the set at this distance. A distance has the same bits as in the answer of
 * `path`. If the profile has widest paths, widths take the place of distances,
 * and the greatest width is the best.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/body.h"
#include "api/encode/cells.h"
#include "api/handlers.h"
#include "api/http/rows.h"
#include "api/label_text.h"
#include "api/reading.h"
#include "api/vertex_set.h"
#include "daemon/base/auto.h"
#include "daemon/base/bit_set.h"
#include "daemon/base/budget.h"
#include "daemon/base/number.h"
#include "storage/search/arc_range.h"
#include "storage/tables/row_reader.h"

/* Members of the body. */
enum member {
	SOURCES,
	TARGETS,
	DIRECTION,
	MAX_HOPS,
	MAX_DISTANCE,
	MIN_WIDTH,
	VALUES,
};

static const char *const member_names[] = {[SOURCES] = "sources",
	[TARGETS] = "targets",
	[DIRECTION] = "direction",
	[MAX_HOPS] = "max_hops",
	[MAX_DISTANCE] = "max_distance",
	[MIN_WIDTH] = "min_width",
	[VALUES] = "values",
	NULL};

/* The state of the request. The request owns this struct until the reply
   begins; then the stream of rows owns it. */
struct reachable {
	struct apsp_body_stream body;
	struct apsp_vertex_set_reader readers[2]; /* SOURCES and TARGETS */
	struct apsp_reading reading;
	struct apsp_share share; /* memory of the search and of the answer */
	size_t phase;		 /* index in `phases` */
	size_t n_values; /* number of items of `values` that were read so far */

	/* the question */
	enum apsp_direction direction;
	struct apsp_vertex_set starts;	/* the set, without repetitions */
	struct apsp_vertex_match among; /* only these vertices are in the
					   answer */
	uint32_t max_hops; /* largest number of arcs of a path; UINT32_MAX: no
			      limit */
	bool distances;	   /* distances or widths are wanted */
	bool widest;	   /* the profile has widest paths */
	/* limit of the answer: the greatest distance or the least width of a
	   vertex. No limit: INFINITY for distances, 0 for widths */
	double bound;

	struct apsp_shared_adjacency *arcs; /* owned; NULL after the search */
	struct apsp_arc_range range;
	struct apsp_row_reader *rows; /* owned; NULL: no distances are read */
	size_t next_read;	      /* index of the next row of distances */

	/* the answer: n elements in each of the following arrays, in ascending
	   order of vertices; the arrays are owned */
	size_t n;
	uint32_t *vertices;
	uint32_t *steps;
	double *distance;  /* distances or widths; NULL: not wanted */
	uint32_t *nearest; /* NULL: not wanted */
	size_t next;	   /* index of the next row of the answer */
};

static void reachable_free(void *ctx)
{
	struct reachable *q = ctx;

	apsp_body_stream_done(&q->body);
	apsp_vertex_sets_done(q->readers);
	apsp_vertex_set_done(&q->starts);
	apsp_vertex_match_done(&q->among);
	apsp_adjacency_cache_close(q->arcs);
	apsp_arc_range_done(&q->range);
	apsp_row_reader_free(q->rows);
	free(q->vertices);
	free(q->steps);
	free(q->distance);
	free(q->nearest);
	apsp_share_close(&q->share);
	apsp_reading_done(&q->reading);
	free(q);
}

static int direction_read(struct apsp_request *req,
	const struct apsp_json_event *event, struct apsp_err *err)
{
	struct reachable *q = req->state;
	bool is_text = event->kind == APSP_JSON_STRING;

	if (is_text && event->size == 3 && memcmp(event->text, "out", 3) == 0)
		return 0;
	if (!is_text || event->size != 2 || memcmp(event->text, "in", 2) != 0)
		return apsp_body_expected(
			req, "direction", event, "\"out\" or \"in\"", err);
	q->direction = APSP_DIRECTION_IN;
	return 0;
}

static int number_read(struct apsp_request *req, enum member m,
	const struct apsp_json_event *event, struct apsp_err *err)
{
	struct reachable *q = req->state;
	double value;
	enum apsp_number kind = APSP_NUMBER_NONE;

	if (event->kind == APSP_JSON_NUMBER)
		kind = apsp_number_parse(event->text, event->size, &value);
	if (kind != APSP_NUMBER_FINITE)
		return apsp_body_expected(req, member_names[m], event,
			kind == APSP_NUMBER_RANGE
				? "a number of 64-bit floating point"
				: "a number",
			err);
	if (m == MAX_DISTANCE || m == MIN_WIDTH) {
		q->bound = value;
		q->distances = true;
		return apsp_reading_bounds(
			&q->reading, m == MAX_DISTANCE, m == MIN_WIDTH, err);
	}
	if (!(value >= 0) || value >= UINT32_MAX || value != floor(value))
		return apsp_body_expected(req, member_names[m], event,
			"a whole number from 0 to 4294967294", err);
	q->max_hops = (uint32_t)value;
	return 0;
}

/* Read an event that the JSON parser has found inside the list `values`. The
   list accepts only "distance", or only "width" if the profile has widest
   paths. */
static int values_read(struct apsp_request *req,
	const struct apsp_json_event *event, struct apsp_err *err)
{
	struct reachable *q = req->state;
	const char *value = q->widest ? "width" : "distance";

	if (event->kind == APSP_JSON_ARRAY_END ||
		(event->kind == APSP_JSON_ARRAY && event->depth == 1))
		return 0;
	if (event->depth != 2 || event->kind != APSP_JSON_STRING ||
		event->size != strlen(value) ||
		memcmp(event->text, value, event->size) != 0 ||
		q->n_values++ > 0)
		return apsp_body_expected(req, "values", event,
			q->widest ? "the list [\"width\"]"
				  : "the list [\"distance\"]",
			err);
	q->distances = true;
	return 0;
}

static int value_read(struct apsp_request *req,
	const struct apsp_json_event *event, struct apsp_err *err)
{
	struct reachable *q = req->state;
	enum member m = (enum member)q->body.member;

	switch (m) {
	case SOURCES:
	case TARGETS:
		return apsp_vertex_set_event(req, &q->readers[m], event, err);
	case DIRECTION:
		return direction_read(req, event, err);
	case MAX_HOPS:
	case MAX_DISTANCE:
	case MIN_WIDTH:
		return number_read(req, m, event, err);
	default:
		return values_read(req, event, err);
	}
}

int apsp_api_post_reachable_begin(
	struct apsp_request *req, struct apsp_err *err)
{
	struct reachable *q =
		apsp_request_state(req, sizeof(*q), reachable_free, err);
	struct apsp_err *refusal;
	int r;

	if (!q)
		return APSP_ENOMEM;
	q->direction = APSP_DIRECTION_OUT;
	q->max_hops = UINT32_MAX;
	q->body.members = member_names;
	q->body.expected = "sources, targets, direction, max_hops, "
			   "max_distance, min_width or values";
	q->body.value = value_read;
	refusal = &q->body.refusal;
	r = apsp_reading_open(req, &q->reading, refusal);
	if (r == 0)
		r = apsp_request_share(req, &q->share, refusal);
	if (r < 0)
		return 0;
	q->widest = apsp_reading_is_widest(&q->reading);
	q->bound = q->widest ? 0 : (double)INFINITY;
	apsp_vertex_sets_begin(req, q->readers, q->reading.generation,
		&q->share, "the set", refusal);
	return 0;
}

/* Complete the question when the body has been read to its end. */
static int question_end(
	struct apsp_request *req, struct reachable *q, struct apsp_err *err)
{
	APSP_AUTO(apsp_vertex_set_done) struct apsp_vertex_set others = {0};
	bool in = q->direction == APSP_DIRECTION_IN;
	enum member starts = in ? TARGETS : SOURCES;
	uint32_t n_vertices;
	int r = apsp_body_stream_end(req, err);

	if (r < 0)
		return r;
	n_vertices = q->reading.generation->n_vertices;
	if (!(q->body.seen >> starts & 1))
		return apsp_body_refuse(req, member_names[starts], err,
			in ? "targets is missing; with direction \"in\", the "
			     "answer has the vertices that reach the targets"
			   : "sources is missing; expected the vertices at "
			     "which paths begin, or \"direction\":\"in\" for "
			     "the vertices that reach the targets");
	if ((q->body.seen >> VALUES & 1) && q->n_values == 0)
		return apsp_body_refuse(req, "values", err, "values is empty");
	r = apsp_vertex_set_end(req, &q->readers[starts], &q->starts, err);
	if (r == 0)
		r = apsp_vertex_set_unique(
			&q->starts, n_vertices, &q->share, err);
	if (r == 0)
		r = apsp_vertex_set_end(
			req, &q->readers[in ? SOURCES : TARGETS], &others, err);
	if (r == 0)
		r = apsp_vertex_set_bits(&others, n_vertices, &q->among, err);
	return r;
}

/* Load the arcs and begin the search. */
static int search_begin(
	struct apsp_request *req, struct reachable *q, struct apsp_err *err)
{
	uint64_t bytes =
		apsp_arc_range_bytes(q->reading.generation->n_vertices);
	int r = apsp_reading_arcs(req, &q->reading, &q->arcs, err);

	if (r == 0)
		r = apsp_request_wait_memory(req,
			apsp_share_grow(&q->share, bytes, "the search", err));
	return r != 0 ? r
		      : apsp_arc_range_begin(apsp_adjacency_cache_arcs(q->arcs),
				q->starts.vertices, q->starts.n, q->direction,
				q->max_hops, &q->range, err);
}

/* Search. Then store the found vertices that are in `among`, and release the
   memory of the search. */
static int search(
	struct apsp_request *req, struct reachable *q, struct apsp_err *err)
{
	uint32_t n_vertices = q->range.arcs->n_vertices;
	uint64_t bytes = (uint64_t)n_vertices * 2 * sizeof(uint32_t);
	int r;

	while (apsp_arc_range_step(&q->range) > 0)
		if (apsp_request_again(req))
			return 1;
	r = apsp_request_wait_memory(
		req, apsp_share_grow(&q->share, bytes, "the answer", err));
	if (r < 0)
		return r;
	q->vertices = malloc(((size_t)n_vertices + 1) * sizeof(*q->vertices));
	q->steps = malloc(((size_t)n_vertices + 1) * sizeof(*q->steps));
	if (!q->vertices || !q->steps)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a set");
	for (uint32_t v = 0; v < n_vertices; v++) {
		if (!apsp_bit_set_has(q->range.within, v) ||
			!apsp_vertex_match_has(&q->among, v))
			continue;
		q->vertices[q->n] = v;
		q->steps[q->n++] = q->range.away[v];
	}
	apsp_arc_range_done(&q->range);
	apsp_share_shrink(&q->share, apsp_arc_range_bytes(n_vertices));
	apsp_adjacency_cache_close(APSP_TAKE(q->arcs));
	return 0;
}

/* Prepare to read distances. If the graph has no tables, the rows that the
   distances need are computed first. */
static int distances_begin(
	struct apsp_request *req, struct reachable *q, struct apsp_err *err)
{
	bool in = q->direction == APSP_DIRECTION_IN;
	struct apsp_tables *tables = q->reading.tables;
	/* direction `in` needs the distances to the vertices of the set. If the
	   graph has no tables, only columns give distances from many vertices
	   to a few */
	bool by_columns = in && apsp_table_on_demand(&tables->header);
	const uint32_t *targets = in ? q->starts.vertices : q->vertices;
	size_t n_targets = in ? q->starts.n : q->n;
	uint64_t cells = (uint64_t)q->n * q->starts.n, bytes;
	unsigned int values = q->widest ? APSP_ROW_WIDTH : APSP_ROW_DISTANCE;
	int r;

	if (!q->distances || cells == 0)
		return 0;
	if (cells > APSP_REACH_CELLS_MAX)
		return apsp_fail(err, APSP_ETOOLARGE,
			"%zu vertices of the set and %zu vertices that were "
			"found make %" PRIu64
			" distances, but an answer reads %d at most; choose "
			"fewer vertices, or set max_hops, or ask without "
			"distances",
			q->starts.n, q->n, cells, APSP_REACH_CELLS_MAX);
	r = apsp_reading_rows(req, &q->reading,
		by_columns ? APSP_DEMAND_COLUMN : APSP_DEMAND_FROM,
		q->starts.vertices, q->starts.n, err);
	if (r < 0)
		return r;
	bytes = q->n * (sizeof(double) + sizeof(uint32_t)) +
		(by_columns ? apsp_row_reader_columns_bytes(tables, n_targets)
			    : apsp_row_reader_bytes(tables, n_targets, false));
	r = apsp_request_wait_memory(
		req, apsp_share_grow(&q->share, bytes, "the distances", err));
	if (r < 0)
		return r;
	q->distance = malloc(q->n * sizeof(*q->distance));
	q->nearest = malloc(q->n * sizeof(*q->nearest));
	if (!q->distance || !q->nearest)
		return apsp_fail(err, APSP_ENOMEM, "no memory for distances");
	for (size_t i = 0; i < q->n; i++)
		q->distance[i] = q->widest ? 0 : (double)INFINITY;
	if (by_columns)
		values |= APSP_ROW_BY_COLUMN;
	return apsp_row_reader_new(
		tables, values, targets, n_targets, &q->rows, err);
}

/* Keep the distance or width between vertex i of the answer and vertex j of the
   set, if this value is better than all earlier values of vertex i. */
static void keep(struct reachable *q, size_t i, size_t j, double value)
{
	if (!(q->widest ? value > q->distance[i] : value < q->distance[i]))
		return;
	q->distance[i] = value;
	q->nearest[i] = q->starts.vertices[j];
}

/* Read the next row of distances. Returns 1 if apsp_row_reader_read() needs
   more calls. */
static int row_read(struct reachable *q, struct apsp_err *err)
{
	bool in = q->direction == APSP_DIRECTION_IN;
	size_t at = q->next_read;
	const double *values;
	struct apsp_row row;
	int r = apsp_row_reader_read(q->rows,
		in ? q->vertices[at] : q->starts.vertices[at], &row, err);

	if (r != 0)
		return r;
	values = q->widest ? row.width : row.distance;
	for (size_t j = 0; in && j < q->starts.n; j++)
		keep(q, at, j, values[j]);
	for (size_t i = 0; !in && i < q->n; i++)
		keep(q, i, at, values[i]);
	q->next_read++;
	return 0;
}

/* Read the distances. Then remove the vertices beyond the bound. */
static int distances_read(
	struct apsp_request *req, struct reachable *q, struct apsp_err *err)
{
	size_t n = 0, n_rows;
	int r;

	if (!q->rows)
		return 0;
	n_rows = q->direction == APSP_DIRECTION_IN ? q->n : q->starts.n;
	while (q->next_read < n_rows) {
		r = row_read(q, err);
		if (r < 0)
			return r;
		if (apsp_request_again(req))
			return 1;
	}
	for (size_t i = 0; i < q->n; i++) {
		if (!(q->widest ? q->distance[i] >= q->bound
				: q->distance[i] <= q->bound))
			continue;
		q->vertices[n] = q->vertices[i];
		q->steps[n] = q->steps[i];
		q->distance[n] = q->distance[i];
		q->nearest[n++] = q->nearest[i];
	}
	q->n = n;
	return 0;
}

/*
 * The phases of the work, in order. A phase returns 0 when it is complete, 1 if
 * the handler must return 0 and is then called again, or a negative code. If a
 * phase waits for memory or rows (APSP_EBUSY), the same phase is called again.
 */
static int (*const phases[])(
	struct apsp_request *req, struct reachable *q, struct apsp_err *err) = {
	question_end,
	search_begin,
	search,
	distances_begin,
	distances_read,
};

/* A row of the answer. */
struct found {
	uint32_t vertex, steps;
	double distance;
	uint32_t nearest;
};

static void cells_write(const struct reachable *q, const struct found *found,
	struct apsp_cells *cells)
{
	const struct apsp_labels *labels = q->reading.generation->labels;
	bool left_out = apsp_reading_leaves_out(&q->reading, found->vertex);
	bool is_json = cells->form == APSP_CELLS_JSON;

	apsp_cells_begin(cells);
	apsp_label_cell(cells, "vertex", labels, found->vertex);
	if (is_json && left_out)
		apsp_json_boolean_member(cells->json, "left_out", true);
	apsp_cell_integer(cells, "steps", found->steps);
	if (q->distances) {
		/* the width of a vertex and itself is infinite: null in JSON,
		   and inf in CSV */
		apsp_cell_real(cells, q->widest ? "width" : "distance",
			found->distance);
		apsp_label_cell(cells, q->widest ? "widest" : "nearest", labels,
			found->nearest);
	}
	if (!is_json && apsp_reading_n_left_out(&q->reading) > 0)
		apsp_cell_integer(cells, "left_out", left_out);
	apsp_cells_end(cells);
}

/* Append the names of the columns of CSV. */
static void names_write(void *ctx, struct apsp_cells *names)
{
	cells_write(ctx, &(struct found){0}, names);
}

static int row_write(void *ctx, struct apsp_cells *cells, struct apsp_err *err)
{
	struct reachable *q = ctx;
	struct found found;
	size_t i = q->next;

	(void)err;
	if (i == q->n)
		return 0;
	found = (struct found){q->vertices[i], q->steps[i]};
	if (q->distances) {
		found.distance = q->distance[i];
		found.nearest = q->nearest[i];
	}
	cells_write(q, &found, cells);
	q->next++;
	return 1;
}

int apsp_api_post_reachable(struct apsp_request *req, struct apsp_err *err)
{
	struct reachable *q = req->state;
	struct apsp_rows rows = {
		.name = req->format == APSP_REPLY_CSV ? NULL : "vertices",
		.begin = names_write,
		.write = row_write,
		.done = reachable_free,
	};
	int r = apsp_request_move(req, err);

	while (r == 0 && q->phase < sizeof(phases) / sizeof(*phases)) {
		r = phases[q->phase](req, q, err);
		q->phase += r == 0;
	}
	if (r != 0)
		return r < 0 ? r : 0;
	apsp_reading_let_go(&q->reading);
	if (rows.name)
		rows.head = apsp_reading_answer(&q->reading,
			json_pack("{s:s, s:I, s:I}", "direction",
				q->direction == APSP_DIRECTION_IN ? "in"
								  : "out",
				"set", (json_int_t)q->starts.n, "count",
				(json_int_t)q->n));
	rows.ctx = APSP_TAKE(req->state);
	return apsp_rows_reply(req, &rows, err);
}
