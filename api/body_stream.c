/*
 * Bodies in pieces; see body_stream.h.
 */
#include "api/body_stream.h"

#include <stdlib.h>
#include <string.h>

enum {
	SMALL_PIECE =
		4096, /* bytes that are parsed on the connection's thread */
};

void apsp_body_stream_done(struct apsp_body_stream *body)
{
	free(body->piece);
	body->piece = NULL;
}

/* On the pool: read the piece. */
static int piece_step(struct apsp_request *req, struct apsp_err *err)
{
	struct apsp_body_stream *body = req->state;
	int r = body->read(req, body->piece, body->piece_size, err);

	apsp_body_stream_done(body);
	return r;
}

int apsp_body_stream_take(struct apsp_request *req, const char *data,
	size_t size, bool costly, struct apsp_err *err)
{
	struct apsp_body_stream *body = req->state;

	if (body->refusal.code)
		return 0;
	if (size <= SMALL_PIECE && !costly)
		return body->read(req, data, size, err);
	body->piece = malloc(size);
	if (!body->piece)
		return apsp_fail(err, APSP_ENOMEM, "no memory for the body");
	memcpy(body->piece, data, size);
	body->piece_size = size;
	apsp_request_work(req, piece_step);
	return 0;
}

/* Report a fault of the JSON as a fault of the request. */
static int as_request(int r, struct apsp_err *err)
{
	char what[APSP_MESSAGE_SIZE];

	if (r != APSP_EDATA || !err)
		return r == APSP_EDATA ? APSP_EMALFORMED : r;
	memcpy(what, err->message, sizeof(what));
	return apsp_fail_at(err, APSP_EMALFORMED, err->line, err->column,
		"the body is not JSON: %s", what);
}

int apsp_body_stream_feed(struct apsp_json_reader *json, const char *data,
	size_t size, struct apsp_err *err)
{
	return as_request(apsp_json_reader_feed(json, data, size, err), err);
}

int apsp_body_stream_end(struct apsp_json_reader *json, struct apsp_err *err)
{
	return as_request(apsp_json_reader_end(json, err), err);
}

int apsp_body_stream_check(
	const struct apsp_json_event *event, struct apsp_err *err)
{
	if (event->depth > 0 || event->kind == APSP_JSON_OBJECT ||
		event->kind == APSP_JSON_OBJECT_END ||
		event->kind == APSP_JSON_ARRAY_END)
		return 0;
	return apsp_fail_at(err, APSP_EMALFORMED, 1, 1,
		"the body is JSON, but not an object");
}
