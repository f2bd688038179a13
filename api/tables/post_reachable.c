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
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/body.h"
#include "api/encode/cells.h"
#include "api/handlers.h"
#include "api/http/rows.h"
#include "api/label_text.h"
#include "api/reading.h"
#include "api/tables/set_reach.h"
#include "api/vertex_set.h"
#include "daemon/base/auto.h"
#include "daemon/base/number.h"
#include "daemon/base/utf8.h"

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

enum phase {
	QUESTION,
	ARCS,
	SEARCH,
	DISTANCES,
	CELLS,
};

/* The state of the request. The request owns this struct until the reply
   begins; then the stream of rows owns it. */
struct reachable {
	struct apsp_body_stream body;
	struct apsp_vertex_set_reader readers[2]; /* SOURCES and TARGETS */
	struct apsp_reading reading;
	struct apsp_share share;
	struct apsp_shared_adjacency *arcs; /* owned; NULL after the search */
	struct apsp_set_reach reach;
	enum phase phase;
	size_t n_values; /* number of items of `values` that were read so far */
	size_t next;	 /* index of the next row */
};

static void reachable_free(void *ctx)
{
	struct reachable *q = ctx;

	apsp_body_stream_done(&q->body);
	apsp_vertex_sets_done(q->readers);
	apsp_set_reach_done(&q->reach);
	apsp_adjacency_cache_close(q->arcs);
	apsp_share_close(&q->share);
	apsp_reading_done(&q->reading);
	free(q);
}

static int refuse(struct apsp_request *req, enum member m,
	const struct apsp_json_event *event, const char *expected,
	struct apsp_err *err)
{
	bool is_list = event->kind == APSP_JSON_ARRAY,
	     is_object = event->kind == APSP_JSON_OBJECT;

	apsp_body_point(req, member_names[m], strlen(member_names[m]));
	if (is_list || is_object)
		return apsp_fail(err, APSP_EMALFORMED, "%s is %s; expected %s",
			member_names[m], is_list ? "a list" : "an object",
			expected);
	return apsp_fail(err, APSP_EMALFORMED, "%s is '%s'; expected %s",
		member_names[m], apsp_excerpt_of(event->text, event->size).text,
		expected);
}

static int direction_read(struct apsp_request *req,
	const struct apsp_json_event *event, struct apsp_err *err)
{
	struct reachable *q = req->state;
	bool is_text = event->kind == APSP_JSON_STRING;

	if (is_text && event->size == 3 && memcmp(event->text, "out", 3) == 0)
		return 0;
	if (!is_text || event->size != 2 || memcmp(event->text, "in", 2) != 0)
		return refuse(req, DIRECTION, event, "\"out\" or \"in\"", err);
	q->reach.direction = APSP_DIRECTION_IN;
	return 0;
}

static int number_read(struct apsp_request *req, enum member m,
	const struct apsp_json_event *event, struct apsp_err *err)
{
	struct reachable *q = req->state;
	double value;

	if (event->kind != APSP_JSON_NUMBER ||
		apsp_number_parse(event->text, event->size, &value) !=
			APSP_NUMBER_FINITE)
		return refuse(req, m, event, "a number", err);
	if (m == MAX_DISTANCE || m == MIN_WIDTH) {
		q->reach.bound = value;
		q->reach.distances = true;
		return apsp_reading_bounds(
			&q->reading, m == MAX_DISTANCE, m == MIN_WIDTH, err);
	}
	if (!(value >= 0) || value >= UINT32_MAX || value != floor(value))
		return refuse(req, m, event,
			"a whole number from 0 to 4294967294", err);
	q->reach.max_hops = (uint32_t)value;
	return 0;
}

/* Read an event inside the list `values`. The list accepts only "distance", or
   only "width" if the profile has widest paths. */
static int values_read(struct apsp_request *req,
	const struct apsp_json_event *event, struct apsp_err *err)
{
	struct reachable *q = req->state;
	const char *value = q->reach.widest ? "width" : "distance";

	if (event->kind == APSP_JSON_ARRAY_END ||
		(event->kind == APSP_JSON_ARRAY && event->depth == 1))
		return 0;
	if (event->depth != 2 || event->kind != APSP_JSON_STRING ||
		event->size != strlen(value) ||
		memcmp(event->text, value, event->size) != 0 ||
		q->n_values++ > 0)
		return refuse(req, VALUES, event,
			q->reach.widest ? "the list [\"width\"]"
					: "the list [\"distance\"]",
			err);
	q->reach.distances = true;
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
	q->reach.direction = APSP_DIRECTION_OUT;
	q->reach.max_hops = UINT32_MAX;
	q->reach.share = &q->share;
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
	q->reach.widest = apsp_reading_is_widest(&q->reading);
	q->reach.bound = q->reach.widest ? 0 : (double)INFINITY;
	apsp_vertex_sets_begin(req, q->readers, q->reading.generation,
		&q->share, "the set", refusal);
	return 0;
}

/* Complete the question when the body has been read to its end. */
static int question_end(
	struct apsp_request *req, struct reachable *q, struct apsp_err *err)
{
	APSP_AUTO(apsp_vertex_set_done) struct apsp_vertex_set others = {0};
	bool in = q->reach.direction == APSP_DIRECTION_IN;
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
	r = apsp_vertex_set_end(
		req, &q->readers[starts], &q->reach.starts, err);
	if (r == 0)
		r = apsp_vertex_set_unique(
			&q->reach.starts, n_vertices, &q->share, err);
	if (r == 0)
		r = apsp_vertex_set_end(
			req, &q->readers[in ? SOURCES : TARGETS], &others, err);
	if (r == 0)
		r = apsp_vertex_set_bits(
			&others, n_vertices, &q->reach.among, err);
	return r;
}

/* Load the arcs and find the vertices. Returns 1 if the handler must be called
   again, 0 if all vertices were found, or a negative code. */
static int search(
	struct apsp_request *req, struct reachable *q, struct apsp_err *err)
{
	int r;

	if (q->phase == ARCS) {
		r = apsp_reading_arcs(req, &q->reading, &q->arcs, err);
		if (r == 0)
			r = apsp_request_wait_memory(
				req, apsp_set_reach_begin(&q->reach,
					     apsp_adjacency_cache_arcs(q->arcs),
					     err));
		if (r != 0)
			return r;
		q->phase = SEARCH;
	}
	while ((r = apsp_request_wait_memory(
			req, apsp_set_reach_search(&q->reach, err))) > 0)
		if (apsp_request_again(req))
			return 1;
	if (r < 0)
		return r;
	apsp_adjacency_cache_close(APSP_TAKE(q->arcs));
	q->phase = DISTANCES;
	return 0;
}

/* Read the distances. Returns 1 if the handler must be called again, 0 if all
   distances were read, or a negative code. */
static int distances(
	struct apsp_request *req, struct reachable *q, struct apsp_err *err)
{
	int r;

	if (!q->reach.distances)
		return 0;
	if (q->phase == DISTANCES) {
		r = apsp_set_reach_distances(req, &q->reach, &q->reading, err);
		if (r < 0)
			return r;
		q->phase = CELLS;
	}
	while ((r = apsp_set_reach_step(&q->reach, err)) > 0)
		if (apsp_request_again(req))
			return 1;
	return r;
}

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
	if (q->reach.distances) {
		/* the width of a vertex and itself is infinite */
		apsp_cell_real(cells, q->reach.widest ? "width" : "distance",
			found->distance);
		apsp_label_cell(cells, q->reach.widest ? "widest" : "nearest",
			labels, found->nearest);
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
	const struct apsp_set_reach *reach = &q->reach;
	struct found found;
	size_t i = q->next;

	(void)err;
	if (i == reach->n)
		return 0;
	found = (struct found){reach->vertices[i], reach->steps[i]};
	if (reach->distances) {
		found.distance = reach->distance[i];
		found.nearest = reach->nearest[i];
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

	if (r == 0 && q->phase == QUESTION) {
		r = question_end(req, q, err);
		if (r == 0)
			q->phase = ARCS;
	}
	if (r == 0 && q->phase < DISTANCES)
		r = search(req, q, err);
	if (r == 0)
		r = distances(req, q, err);
	if (r != 0)
		return r < 0 ? r : 0;
	apsp_reading_let_go(&q->reading);
	if (rows.name)
		rows.head = apsp_reading_answer(&q->reading,
			json_pack("{s:s, s:I, s:I}", "direction",
				q->reach.direction == APSP_DIRECTION_IN ? "in"
									: "out",
				"set", (json_int_t)q->reach.starts.n, "count",
				(json_int_t)q->reach.n));
	rows.ctx = APSP_TAKE(req->state);
	return apsp_rows_reply(req, &rows, err);
}
