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
	/* The names of the members that the object may have; NULL ends them. */
	const char *const *members;
	const char *expected; /* the same in words, for a message */
	bool may_be_empty;    /* a body without bytes is an empty object */
	/* Read an event of the value of a member, whose depth is 1 or more. */
	int (*value)(struct apsp_request *req,
		const struct apsp_json_event *event, struct apsp_err *err);
	/*
	 * An error that was found before the body, such as an unknown graph.
	 * Refusing at once would end the connection, so the refusal waits for
	 * the end of the body, which is short and is not parsed then. Code 0:
	 * none.
	 */
	struct apsp_err refusal;

	unsigned int member; /* whose value is read: its position in members */
	unsigned int seen;   /* bit m: member m has begun */

	/* Its own. */
	struct apsp_json_reader *json; /* until the end; owned */
	bool fed;		       /* the body has at least one byte */
	char *piece;		       /* for the pool; owned */
	size_t piece_size;
};

/* Begin a body, whose members and value are set. APSP_ENOMEM. */
int apsp_body_stream_begin(struct apsp_request *req, struct apsp_err *err);
void apsp_body_stream_done(struct apsp_body_stream *body);

/*
 * For the handler's body(): parse the piece. costly: on the pool, however small
 * it is. APSP_EMALFORMED: not JSON, or not an object of these members; errors
 * of value(); APSP_ENOMEM.
 */
int apsp_body_stream_feed(struct apsp_request *req, const char *data,
	size_t size, bool costly, struct apsp_err *err);

/*
 * The body is complete. Once this has returned 0, it does so again. Errors: the
 * refusal, if there is one; APSP_EMALFORMED: the object is not complete.
 */
int apsp_body_stream_end(struct apsp_request *req, struct apsp_err *err);

#endif
