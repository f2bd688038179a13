/*
 * POST /v1/graphs/{graph}/table: a table of sources × targets. The body,
 * {"sources":[…],"targets":{"match":[…]},"values":[…]}, is parsed as it
 * arrives: memory holds 4 bytes for each vertex of a set (api/vertex_set.h).
 * Every member may be missing; an empty body counts as an empty object. Rows
 * are made when the client is ready for them. The thread pool makes the rows,
 * unless the table is small.
 */
#include <stdlib.h>

#include "api/body.h"
#include "api/handlers.h"
#include "api/http/query.h"
#include "api/reading.h"
#include "api/tables/table.h"
#include "api/vertex_match.h"
#include "api/vertex_set.h"
#include "daemon/base/auto.h"
#include "daemon/base/utf8.h"

enum {
	/*
	 * A table is made on the thread pool if its number of sources times the
	 * graph's number of vertices is more than this.
	 */
	SMALL_CELLS = 16384,
};

/* Members of the body. */
enum member {
	SOURCES,
	TARGETS,
	VALUES,
};

static const char *const member_names[] = {[SOURCES] = "sources",
	[TARGETS] = "targets",
	[VALUES] = "values",
	NULL};

/* The state of the request. The request owns this struct. */
struct table_request {
	struct apsp_body_stream body;
	struct apsp_table_question question;
	struct apsp_vertex_set_reader sets[2]; /* SOURCES and TARGETS */
	size_t n_values;     /* number of items of the list `values` that were
				read so far */
	unsigned int values; /* the values that the body asks for, as bits of
				enum apsp_row_value */
	bool complete;	     /* the question is complete */
};

static void table_request_free(void *ctx)
{
	struct table_request *t = ctx;

	apsp_body_stream_done(&t->body);
	apsp_vertex_sets_done(t->sets);
	apsp_table_question_done(&t->question);
	free(t);
}

static int question_open(
	struct apsp_request *req, struct table_request *t, struct apsp_err *err)
{
	struct apsp_table_question *q = &t->question;
	int r = apsp_query_choice(
		req, "layout", "wide", "long", &q->is_long, err);

	if (r == 0)
		r = apsp_table_question_open(req, q, err);
	if (r == 0)
		r = apsp_request_share(req, &q->share, err);
	if (r < 0)
		return r;
	return apsp_vertex_sets_begin(req, t->sets, q->reading.generation,
		&q->share, "the table", err);
}

/* Read an event that the JSON parser has found inside the value of the member
   `values`. */
static int values_read(struct apsp_request *req,
	const struct apsp_json_event *event, struct apsp_err *err)
{
	struct table_request *t = req->state;
	struct apsp_excerpt name = apsp_excerpt_of(event->text, event->size);
	int r;

	if (event->kind == APSP_JSON_ARRAY_END ||
		(event->kind == APSP_JSON_ARRAY && event->depth == 1))
		return 0;
	if (event->depth == 1)
		return apsp_body_refuse(
			req, "values", err, "values is not a list of strings");
	if (event->kind == APSP_JSON_STRING)
		r = apsp_value_names_add(name.text, &t->values, err);
	else
		r = apsp_fail(err, APSP_EMALFORMED, "values[%zu] is no string",
			t->n_values);
	if (r < 0)
		apsp_request_extra(
			req, json_pack("{s:o}", "pointer",
				     json_sprintf("/values/%zu", t->n_values)));
	t->n_values++;
	return r;
}

static int value_read(struct apsp_request *req,
	const struct apsp_json_event *event, struct apsp_err *err)
{
	struct table_request *t = req->state;

	if (t->body.member == VALUES)
		return values_read(req, event, err);
	return apsp_vertex_set_event(req, &t->sets[t->body.member], event, err);
}

int apsp_api_post_table_begin(struct apsp_request *req, struct apsp_err *err)
{
	struct table_request *t =
		apsp_request_state(req, sizeof(*t), table_request_free, err);

	if (!t)
		return APSP_ENOMEM;
	t->body.members = member_names;
	t->body.expected = "sources, targets or values";
	t->body.may_be_empty = true;
	t->body.value = value_read;
	question_open(req, t, &t->body.refusal);
	return 0;
}

/* Keep only the targets that ?match= chooses. */
static int targets_match(struct apsp_request *req,
	struct apsp_table_question *q, struct apsp_err *err)
{
	APSP_AUTO(apsp_vertex_match_done) struct apsp_vertex_match match = {0};
	struct apsp_vertex_set *targets = &q->targets;
	int r;

	r = apsp_vertex_match_read(req, q->reading.generation, &match, err);
	if (r < 0 || !match.bits)
		return r;
	if (targets->all) {
		r = apsp_share_grow(&q->share, targets->n * sizeof(uint32_t),
			"the table", err);
		if (r < 0)
			return r;
		targets->vertices = calloc(targets->n + 1, sizeof(uint32_t));
		if (!targets->vertices)
			return apsp_fail(
				err, APSP_ENOMEM, "no memory for a table");
	}
	apsp_vertex_set_keep(targets, &match);
	return 0;
}

/* Complete t->question when the body has been read to its end. */
static int question_end(struct apsp_request *req, struct apsp_err *err)
{
	struct table_request *t = req->state;
	struct apsp_table_question *q = &t->question;
	bool filtered = apsp_pair_filter_is_set(&q->filter);
	bool no_path = q->filter.has_reachable && !q->filter.reachable;
	int r;

	r = apsp_body_stream_end(req, err);
	if (r < 0)
		return r;
	if ((t->body.seen >> VALUES & 1) && !t->values)
		return apsp_body_refuse(req, "values", err, "values is empty");
	r = apsp_vertex_set_end(req, &t->sets[SOURCES], &q->sources, err);
	if (r == 0)
		r = apsp_vertex_set_end(
			req, &t->sets[TARGETS], &q->targets, err);
	if (r == 0)
		r = targets_match(req, q, err);
	if (r < 0)
		return r;
	if (q->values && t->values)
		return apsp_fail(err, APSP_EMALFORMED,
			"values is in the query and in the body");
	if (t->values)
		q->values = t->values;
	/* if the request names no value, the answer has distances or widths.
	   But with reachable=false, the answer has only pairs without a path.
	   They have neither, so the answer then has no value */
	r = apsp_value_names_settle(
		&q->reading, no_path ? 0 : APSP_ROW_DISTANCE, &q->values, err);
	if (r < 0)
		return r;
	if (!apsp_query_get(req, "layout"))
		q->is_long =
			filtered || (req->format == APSP_REPLY_CSV &&
					    (q->values & (q->values - 1)) != 0);
	t->complete = true;
	return 0;
}

int apsp_api_post_table(struct apsp_request *req, struct apsp_err *err)
{
	struct table_request *t = req->state;
	const struct apsp_table_question *q = &t->question;
	struct apsp_table *table = NULL;
	int r = 0;

	if (!t->complete)
		r = question_end(req, err);
	if (r < 0)
		return r;
	if ((uint64_t)q->sources.n * q->reading.generation->n_vertices >
		SMALL_CELLS)
		r = apsp_request_move(req, err);
	if (r == 0)
		r = apsp_table_question_rows(req, &t->question, err);
	if (r == 0)
		r = apsp_request_wait_memory(req,
			apsp_table_new(&t->question, req->format, &table, err));
	return r < 0 ? r : apsp_table_reply(req, MHD_HTTP_OK, table, err);
}
