/*
 * Streamed replies: a list whose rows are made as the client takes them.
 */
#ifndef APSP_API_HTTP_ROWS_H
#define APSP_API_HTTP_ROWS_H

#include <jansson.h>
#include <stdbool.h>

#include "api/encode/json_writer.h"
#include "api/http/request.h"
#include "daemon/base/err.h"

/*
 * A stream of JSON values. In JSON they are one array member of an object, in
 * NDJSON each is a line, as the client accepts. next() stores the next value
 * (taken over) and returns 1, or 0 at the end, or a negative code. In the first
 * 32 KiB that is the reply's own failure; later it cuts the reply off, without
 * the last chunk.
 */
struct apsp_rows {
	json_t *head;	  /* the object's other members, taken over; may be
			     NULL. Not sent in NDJSON. */
	const char *name; /* of the array member */
	int (*next)(void *ctx, json_t **out, struct apsp_err *err);
	/* In the place of next(): append the value itself, without a tree. */
	int (*write)(
		void *ctx, struct apsp_json_writer *w, struct apsp_err *err);
	bool in_pool; /* next() may take milliseconds; the handler has moved */
	void (*done)(void *ctx); /* frees ctx; always called once */
	void *ctx;
};

/* Reply with the stream. Errors of next(), APSP_ENOMEM. */
int apsp_rows_reply(struct apsp_request *req, unsigned int status,
	struct apsp_rows *rows, struct apsp_err *err);

#endif
