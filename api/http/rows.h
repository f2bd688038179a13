/*
 * Streamed replies: a list whose rows are made as the client takes them.
 */
#ifndef APSP_API_HTTP_ROWS_H
#define APSP_API_HTTP_ROWS_H

#include <jansson.h>

#include "api/http/request.h"
#include "daemon/base/err.h"

/*
 * A stream of JSON values. In JSON they are one array member of an object, in
 * NDJSON each is a line, as the client accepts. next() stores the next value
 * (taken over) and returns 1, or 0 at the end, or a negative code, which cuts
 * the reply off.
 */
struct apsp_rows {
	json_t *head;	  /* the object's other members, taken over; may be
			     NULL. Not sent in NDJSON. */
	const char *name; /* of the array member */
	int (*next)(void *ctx, json_t **out, struct apsp_err *err);
	void (*done)(void *ctx); /* frees ctx; always called once */
	void *ctx;
};

/* Reply with the stream. APSP_ENOMEM. */
int apsp_rows_reply(struct apsp_request *req, unsigned int status,
	struct apsp_rows *rows, struct apsp_err *err);

#endif
