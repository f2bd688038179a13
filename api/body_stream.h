/*
 * A JSON object in a body that is read as it comes (APSP_BODY_PIECES), because
 * it may be long: small pieces where they come, large ones on the pool.
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
	 * Read the next bytes. Where the object cannot be used, add to the
	 * problem where in the body that is.
	 */
	int (*read)(struct apsp_request *req, const char *data, size_t size,
		struct apsp_err *err);
	/*
	 * Of what comes before the body. A refusal at once would end the
	 * connection, so it waits for the body, which is short, and which is
	 * not read then. Code 0: none.
	 */
	struct apsp_err refusal;

	/* Its own: a piece of the body for the pool, owned. */
	char *piece;
	size_t piece_size;
};

void apsp_body_stream_done(struct apsp_body_stream *body);

/*
 * The handler's body(): have the piece read. costly: on the pool, however small
 * it is. Errors of read(); APSP_ENOMEM.
 */
int apsp_body_stream_take(struct apsp_request *req, const char *data,
	size_t size, bool costly, struct apsp_err *err);

/*
 * As apsp_json_reader_feed() and apsp_json_reader_end(); a fault of the JSON is
 * one of the request: APSP_EMALFORMED.
 */
int apsp_body_stream_feed(struct apsp_json_reader *json, const char *data,
	size_t size, struct apsp_err *err);
int apsp_body_stream_end(struct apsp_json_reader *json, struct apsp_err *err);

/* APSP_EMALFORMED if the event begins another value than the body's object. */
int apsp_body_stream_check(
	const struct apsp_json_event *event, struct apsp_err *err);

#endif
