/*
 * A JSON object in a body that may be long and so is parsed while it comes
 * (APSP_BODY_PIECES): small pieces on the connection's thread, large ones on
 * the pool.
 */
#ifndef APSP_API_BODY_STREAM_H
#define APSP_API_BODY_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include "api/http/request.h"
#include "daemon/base/err.h"
#include "storage/ingest/json_reader.h"

/* The first member of what the handler keeps in req->state. */
struct apsp_body_stream {
	/*
	 * Parse the next bytes. If the object cannot be used, add the position
	 * in the body to the problem.
	 */
	int (*read)(struct apsp_request *req, const char *data, size_t size,
		struct apsp_err *err);
	/*
	 * An error that was found before the body, such as an unknown graph.
	 * Refusing at once would end the connection, so the refusal waits for
	 * the end of the body, which is short and is not parsed then. Code 0:
	 * none.
	 */
	struct apsp_err refusal;

	/* Its own: a piece of the body for the pool, owned. */
	char *piece;
	size_t piece_size;
};

void apsp_body_stream_done(struct apsp_body_stream *body);

/*
 * For the handler's body(): parse the piece. costly: on the pool, however small
 * it is. Errors of read(); APSP_ENOMEM.
 */
int apsp_body_stream_take(struct apsp_request *req, const char *data,
	size_t size, bool costly, struct apsp_err *err);

/*
 * As apsp_json_reader_feed() and apsp_json_reader_end(), but a fault of the
 * JSON is a fault of the request: APSP_EMALFORMED.
 */
int apsp_body_stream_feed(struct apsp_json_reader *json, const char *data,
	size_t size, struct apsp_err *err);
int apsp_body_stream_end(struct apsp_json_reader *json, struct apsp_err *err);

/* APSP_EMALFORMED if the event begins another value than the body's object. */
int apsp_body_stream_check(
	const struct apsp_json_event *event, struct apsp_err *err);

#endif
