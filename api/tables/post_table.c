/*
 * POST /v1/graphs/{graph}/table: sources × targets. The body is parsed as it
 * arrives. The pool makes rows when the client is ready for them.
 */
#include <stdlib.h>
#include <string.h>

#include "api/body_stream.h"
#include "api/handlers.h"
#include "api/http/query.h"
#include "api/http/stream.h"
#include "api/reading.h"
#include "api/tables/table.h"
#include "api/tables/value_names.h"
#include "api/vertex_match.h"
#include "daemon/base/auto.h"
#include "storage/store.h"

enum {
	SMALL_CELLS = 16384, /* a table of so few is read on the connection's
				thread */
};

/* The request owns this. */
struct table_request {
	struct apsp_body_stream stream;
	struct apsp_table_question question;
	struct apsp_table_body *body;
	bool complete; /* the question is complete */
};

static void table_request_free(void *ctx)
{
	struct table_request *t = ctx;

	apsp_table_body_free(t->body);
	apsp_body_stream_done(&t->stream);
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
	return apsp_table_body_new(q->reading.generation->labels,
		req->config->limits.max_pairs, &q->share, &t->body, err);
}

/* Add to the problem the place in the body and suggestions. */
static int refuse(struct apsp_request *req, int r)
{
	const struct table_request *t = req->state;
	const char *pointer = apsp_table_body_pointer(t->body);
	const char *unknown = apsp_table_body_unknown(t->body);
	json_t *suggestions = NULL;

	if (r >= 0 || !*pointer)
		return r;
	if (*unknown)
		suggestions = apsp_reading_vertex_suggestions(
			t->question.reading.generation, unknown);
	apsp_request_extra(req, json_pack("{s:s, s:o*}", "pointer", pointer,
					"suggestions", suggestions));
	return r;
}

static int body_read(struct apsp_request *req, const char *data, size_t size,
	struct apsp_err *err)
{
	struct table_request *t = req->state;

	return refuse(req, apsp_table_body_feed(t->body, data, size, err));
}

int apsp_api_post_table_begin(struct apsp_request *req, struct apsp_err *err)
{
	struct table_request *t = calloc(1, sizeof(*t));

	if (!t)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	req->state = t;
	req->state_free = table_request_free;
	t->stream.read = body_read;
	question_open(req, t, &t->stream.refusal);
	return 0;
}

int apsp_api_post_table_body(struct apsp_request *req, const char *data,
	size_t size, struct apsp_err *err)
{
	const struct table_request *t = req->state;
	/* suggestions for an unknown label look at all labels */
	bool costly = t->stream.refusal.code == 0 &&
		      apsp_reading_labels_are_many(
			      t->question.reading.generation->labels);

	return apsp_body_stream_take(req, data, size, costly, err);
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

/* The body is complete: complete the question. */
static int question_end(struct apsp_request *req, struct apsp_err *err)
{
	struct table_request *t = req->state;
	struct apsp_table_question *q = &t->question;
	bool filtered = apsp_pair_filter_is_set(&q->filter);
	bool no_path = q->filter.has_reachable && !q->filter.reachable;
	unsigned int values = 0;
	int r;

	r = refuse(req, apsp_table_body_end(t->body, &q->sources, &q->targets,
				&values, err));
	if (r == 0)
		r = targets_match(req, q, err);
	if (r < 0)
		return r;
	if (q->values && values)
		return apsp_fail(err, APSP_EMALFORMED,
			"values is in the query and in the body");
	if (values)
		q->values = values;
	else if (!q->values &&
		 !no_path) /* pairs without a path have no distance */
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

	if (t->stream.refusal.code) {
		*err = t->stream.refusal;
		return err->code;
	}
	if (!t->complete)
		r = question_end(req, err);
	if (r < 0)
		return r;
	in_pool = (uint64_t)q->sources.n * q->reading.generation->n_vertices >
		  SMALL_CELLS;
	r = in_pool ? apsp_request_move(req, err) : 0;
	if (r == 0)
		r = apsp_table_new(&t->question, req->format, &table, err);
	if (r < 0)
		return r;
	stream = apsp_table_stream(table);
	stream.in_pool = in_pool;
	return apsp_stream_reply(req, MHD_HTTP_OK, &stream, err);
}
