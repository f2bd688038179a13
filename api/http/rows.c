/*
 * Rows as JSON, made into blocks of text for api/http/stream.h.
 */
#include "api/http/rows.h"

#include <stdlib.h>
#include <string.h>

#include "api/encode/json.h"
#include "api/encode/text.h"
#include "api/http/internal.h"
#include "api/http/reply_format.h"
#include "api/http/stream.h"
#include "daemon/base/clock.h"

enum {
	BLOCK_BYTES = 32768,
	KEPT_BYTES = 2 * BLOCK_BYTES, /* a larger block is freed once sent */
	STEP_MS = 5,		      /* of a turn on the pool */
};

struct maker {
	struct apsp_rows rows; /* head is NULL once it is in text */
	bool ndjson;
	bool first; /* no row yet */
	bool ended;
	struct apsp_text text; /* the present block */
};

static void maker_free(void *ctx)
{
	struct maker *m = ctx;

	m->rows.done(m->rows.ctx);
	json_decref(m->rows.head);
	apsp_text_done(&m->text);
	free(m);
}

/* Append a value, which is taken over, but for the last `cut` bytes. */
static int append_json(
	struct maker *m, json_t *value, size_t cut, struct apsp_err *err)
{
	char *text = value ? apsp_json_text(value) : NULL;

	json_decref(value);
	if (!text)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a reply");
	apsp_text_append(&m->text, text, strlen(text) - cut);
	free(text);
	return 0;
}

/* The object up to the array: {…,"name":[ */
static int open_object(struct maker *m, struct apsp_err *err)
{
	json_t *head = m->rows.head ? m->rows.head : json_object();

	m->rows.head = NULL;
	if (head)
		json_object_set_new(head, m->rows.name, json_array());
	return append_json(m, head, strlen("]}"), err);
}

/* Append the next row; 0: there is none, and nothing was appended. */
static int append_row(struct maker *m, struct apsp_err *err)
{
	struct apsp_json_writer w = {.text = &m->text};
	json_t *row = NULL;
	int r;

	if (m->rows.write)
		return m->rows.write(m->rows.ctx, &w, err);
	r = m->rows.next(m->rows.ctx, &row, err);
	if (r <= 0)
		return r;
	r = append_json(m, row, 0, err);
	return r < 0 ? r : 1;
}

/* Append the next row, or the end. */
static int advance(struct maker *m, struct apsp_err *err)
{
	const char *end = m->ndjson ? "" : "]}\n";
	size_t before = m->text.size;
	int r;

	if (!m->ndjson && !m->first)
		apsp_text_byte(&m->text, ',');
	r = append_row(m, err);
	if (r < 0)
		return r;
	if (r == 0) {
		m->ended = true;
		m->text.size = before; /* no comma before the end */
		apsp_text_append(&m->text, end, strlen(end));
		return 0;
	}
	m->first = false;
	if (m->ndjson)
		apsp_text_byte(&m->text, '\n');
	return 0;
}

static int maker_next(
	void *ctx, struct apsp_stream_block *out, struct apsp_err *err)
{
	int64_t until = apsp_clock_ns() + (int64_t)STEP_MS * 1000000;
	struct maker *m = ctx;
	int r = 0;

	apsp_text_clear(&m->text, KEPT_BYTES);
	if (m->first && !m->ndjson)
		r = open_object(m, err);
	while (r == 0 && !m->ended && m->text.size < BLOCK_BYTES) {
		r = advance(m, err);
		if (m->rows.in_pool && apsp_clock_ns() > until)
			break;
	}
	if (r == 0)
		r = apsp_text_check(&m->text, err);
	*out = (struct apsp_stream_block){m->text.data, m->text.size};
	return r < 0 ? r : !m->ended;
}

int apsp_rows_reply(struct apsp_request *req, unsigned int status,
	struct apsp_rows *rows, struct apsp_err *err)
{
	struct maker *m = calloc(1, sizeof(*m));
	struct apsp_stream stream = {
		.type = apsp_reply_format_type(apsp_request_format(req)),
		.size = APSP_STREAM_SIZE_UNKNOWN,
		.next = maker_next,
		.in_pool = rows->in_pool,
		.done = maker_free,
		.ctx = m,
	};

	if (!m) {
		rows->done(rows->ctx);
		json_decref(rows->head);
		return apsp_fail(err, APSP_ENOMEM, "no memory for a reply");
	}
	m->rows = *rows;
	m->ndjson = apsp_request_format(req) == APSP_REPLY_NDJSON;
	m->first = true;
	return apsp_stream_reply(req, status, &stream, err);
}
