/*
 * POST /v1/graphs/{graph}/table: a table of sources × targets. The body,
 * {"sources":[…],"targets":[…],"values":[…]}, is parsed as it arrives: memory
 * holds 4 bytes for each label. Every member may be missing; an empty body
 * counts as an empty object. The thread pool makes the table's rows when the
 * client is ready for them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/body_json.h"
#include "api/body_stream.h"
#include "api/handlers.h"
#include "api/http/query.h"
#include "api/http/stream.h"
#include "api/reading.h"
#include "api/tables/table.h"
#include "api/tables/value_names.h"
#include "api/vertex_match.h"
#include "daemon/base/array.h"
#include "daemon/base/auto.h"
#include "storage/store.h"

enum {
	FIRST_LABELS = 64,
	SHOWN_MAX = 200, /* if a label has more bytes than this, a message shows
			    only its first SHOWN_MAX bytes */
	/*
	 * A table is made on the thread pool if the number of its sources,
	 * times the number of the graph's vertices, is more than this.
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

/* The request owns this. */
struct table_request {
	struct apsp_body_stream body;
	struct apsp_table_question question;
	size_t rooms[2]; /* capacity of the arrays of sources and of targets, in
			    elements */
	size_t n_items;	 /* number of items of the list that is being read */
	unsigned int values; /* the values that the body asks for, as bits of
				enum apsp_row_value */
	bool complete;	     /* the question is complete */
};

static void table_request_free(void *ctx)
{
	struct table_request *t = ctx;

	apsp_body_stream_done(&t->body);
	apsp_table_question_done(&t->question);
	free(t);
}

static int question_open(
	struct apsp_request *req, struct table_request *t, struct apsp_err *err)
{
	struct apsp_table_question *q = &t->question;
	const char *values = apsp_query_get(req, "values");
	int r = 0;

	if (values)
		r = apsp_value_names_parse(values, &q->values, err);
	if (r == 0)
		r = apsp_pair_filter_read(req, &q->filter, err);
	if (r == 0)
		r = apsp_query_choice(
			req, "layout", "wide", "long", &q->is_long, err);
	if (r == 0)
		r = apsp_reading_open(req, &q->reading, err);
	if (r == 0)
		r = apsp_request_share(req, &q->share, err);
	if (r < 0)
		return r;
	return apsp_body_stream_begin(req, err);
}

/*
 * Add to the problem a pointer to the item that was just read. If the item is a
 * label that no vertex has, `unknown` is this label, and suggestions for it are
 * added, too. Otherwise `unknown` is NULL.
 */
static void item_point(struct apsp_request *req, const char *unknown)
{
	const struct table_request *t = req->state;
	json_t *suggestions = NULL;

	if (unknown)
		suggestions = apsp_reading_vertex_suggestions(
			t->question.reading.generation, unknown);
	apsp_request_extra(
		req, json_pack("{s:o, s:o*}", "pointer",
			     json_sprintf("/%s/%zu",
				     member_names[t->body.member], t->n_items),
			     "suggestions", suggestions));
}

static int vertex_add(
	struct apsp_request *req, uint32_t v, struct apsp_err *err)
{
	struct table_request *t = req->state;
	struct apsp_table_question *q = &t->question;
	struct apsp_vertex_list *list =
		t->body.member == SOURCES ? &q->sources : &q->targets;
	const struct apsp_array_growth growth = {
		sizeof(v), FIRST_LABELS, "the table", &q->share};
	const char *name = member_names[t->body.member];
	uint32_t max = req->config->limits.max_pairs;
	int r;

	if (list->n == max) {
		item_point(req, NULL);
		return apsp_fail(err, APSP_ETOOLARGE,
			"%s has more than %u labels, which is the limit; "
			"without %s the table has all vertices",
			name, max, name);
	}
	r = apsp_array_reserve(&list->vertices, list->n + 1,
		&t->rooms[t->body.member], &growth, err);
	if (r == 0)
		list->vertices[list->n++] = v;
	return r;
}

static int item_read(struct apsp_request *req,
	const struct apsp_json_event *event, struct apsp_err *err)
{
	struct table_request *t = req->state;
	const char *name = member_names[t->body.member];
	char text[SHOWN_MAX + 1];
	int64_t v;
	int r;

	if (event->kind != APSP_JSON_STRING) {
		item_point(req, NULL);
		return apsp_fail(err, APSP_EMALFORMED,
			"%s[%zu] is no string; vertices are named by strings, "
			"since a number loses digits",
			name, t->n_items);
	}
	snprintf(text, sizeof(text), "%.*s",
		(int)(event->size < SHOWN_MAX ? event->size : SHOWN_MAX),
		event->text);
	if (t->body.member == VALUES) {
		r = apsp_value_names_add(text, &t->values, err);
		if (r < 0)
			item_point(req, NULL);
		t->n_items++;
		return r;
	}
	v = apsp_labels_find(t->question.reading.generation->labels,
		event->text, event->size);
	if (v < 0) {
		item_point(req, text);
		return apsp_fail(err, APSP_EBADVERTEX,
			"%s[%zu] '%s' is not in the graph", name, t->n_items,
			text);
	}
	r = vertex_add(req, (uint32_t)v, err);
	t->n_items++;
	return r;
}

static int value_read(struct apsp_request *req,
	const struct apsp_json_event *event, struct apsp_err *err)
{
	struct table_request *t = req->state;
	const char *name = member_names[t->body.member];

	if (event->kind == APSP_JSON_OBJECT_END ||
		event->kind == APSP_JSON_ARRAY_END)
		return 0;
	if (event->depth == 2)
		return item_read(req, event, err);
	if (event->depth > 2)
		return 0;
	t->n_items = 0;
	if (event->kind == APSP_JSON_ARRAY)
		return 0;
	apsp_body_point(req, name, strlen(name));
	return apsp_fail(
		err, APSP_EMALFORMED, "%s is not a list of strings", name);
}

int apsp_api_post_table_begin(struct apsp_request *req, struct apsp_err *err)
{
	struct table_request *t = calloc(1, sizeof(*t));

	if (!t)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	req->state = t;
	req->state_free = table_request_free;
	t->body.members = member_names;
	t->body.expected = "sources, targets or values";
	t->body.may_be_empty = true;
	t->body.value = value_read;
	question_open(req, t, &t->body.refusal);
	return 0;
}

int apsp_api_post_table_body(struct apsp_request *req, const char *data,
	size_t size, struct apsp_err *err)
{
	const struct table_request *t = req->state;
	/* an unknown label is costly if the graph has many labels: to find
	   suggestions, all labels are compared with the unknown one */
	bool costly = t->body.refusal.code == 0 &&
		      apsp_reading_labels_are_many(
			      t->question.reading.generation->labels);

	return apsp_body_stream_feed(req, data, size, costly, err);
}

/* Keep only the targets that ?match= chooses. */
static int targets_match(struct apsp_request *req,
	struct apsp_table_question *q, struct apsp_err *err)
{
	APSP_AUTO(apsp_vertex_match_done) struct apsp_vertex_match match = {0};
	struct apsp_vertex_list *targets = &q->targets;
	size_t n = 0;
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
	for (size_t i = 0; i < targets->n; i++) {
		uint32_t v = apsp_vertex_list_at(targets, i);

		if (apsp_vertex_match_has(&match, v))
			targets->vertices[n++] = v;
	}
	targets->n = n;
	targets->all = false;
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
	q->sources.all = !(t->body.seen >> SOURCES & 1);
	q->targets.all = !(t->body.seen >> TARGETS & 1);
	if (q->sources.all)
		q->sources.n = q->reading.generation->n_vertices;
	if (q->targets.all)
		q->targets.n = q->reading.generation->n_vertices;
	if ((t->body.seen >> VALUES & 1) && !t->values) {
		apsp_body_point(req, "values", strlen("values"));
		return apsp_fail(err, APSP_EMALFORMED, "values is empty");
	}
	r = targets_match(req, q, err);
	if (r < 0)
		return r;
	if (q->values && t->values)
		return apsp_fail(err, APSP_EMALFORMED,
			"values is in the query and in the body");
	if (t->values)
		q->values = t->values;
	else if (!q->values &&
		 !no_path) /* distance is the default value, except if the
			      answer has only pairs without a path, which have
			      no distance */
		q->values = APSP_ROW_DISTANCE;
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
	struct apsp_stream stream;
	bool in_pool;
	int r = 0;

	if (!t->complete)
		r = question_end(req, err);
	if (r < 0)
		return r;
	in_pool = (uint64_t)q->sources.n * q->reading.generation->n_vertices >
		  SMALL_CELLS;
	r = in_pool ? apsp_request_move(req, err) : 0;
	if (r == 0)
		r = apsp_table_question_rows(req, &t->question, err);
	if (r == 0)
		r = apsp_request_wait_memory(req,
			apsp_table_new(&t->question, req->format, &table, err));
	if (r < 0)
		return r;
	stream = apsp_table_stream(table);
	stream.in_pool = in_pool;
	return apsp_stream_reply(req, MHD_HTTP_OK, &stream, err);
}
