/*
 * Replies: JSON, NDJSON, RFC 9457 problems. The one table that turns codes into
 * statuses is here.
 */
#ifndef APSP_API_REPLY_H
#define APSP_API_REPLY_H

#include <jansson.h>
#include <stdbool.h>

#include "api/request.h"
#include "daemon/base/err.h"

/* Reply with a JSON value, which is taken over (NULL: APSP_ENOMEM). */
int apsp_reply_json(struct apsp_request *req, unsigned int status,
	json_t *body, struct apsp_err *err);

/* Reply 204, without a body. */
int apsp_reply_empty(struct apsp_request *req, struct apsp_err *err);

/* Add a header to the reply that follows; strings are copied. */
int apsp_reply_header(struct apsp_request *req, const char *name,
	const char *value, struct apsp_err *err);

/* Set the ETag ("<id>") and answer 304 if If-None-Match holds it.
 * Returns 1 if it did, 0 to go on, or a negative code. */
int apsp_reply_etag(struct apsp_request *req, const char *id,
	struct apsp_err *err);

/*
 * Set the ETag that If-Match compares with, and never answer 304: for what
 * changes under the same revision.
 */
int apsp_reply_revision(struct apsp_request *req, const char *revision,
	struct apsp_err *err);

/*
 * A stream of JSON values: one array member of a JSON object, or one line each
 * in NDJSON, as the client accepts. next() stores the next value (taken over)
 * and returns 1, or 0 at the end, or a negative code, which cuts the reply.
 */
struct apsp_rows {
	json_t *head;      /* the object's other members, taken over; may be
	                      NULL. In NDJSON it is not sent. */
	const char *name;  /* of the array member */
	int (*next)(void *ctx, json_t **out, struct apsp_err *err);
	void (*done)(void *ctx); /* frees ctx; always called once */
	void *ctx;
};
int apsp_reply_rows(struct apsp_request *req, unsigned int status,
	struct apsp_rows *rows, struct apsp_err *err);

/*
 * The problem for an error: type, title, status, detail, and line, column and
 * the extra members (taken over; may be NULL). For 5xx of our own making the
 * detail is general. Used for replies and inside batches and job records.
 */
json_t *apsp_problem_json(const struct apsp_err *err, json_t *extra);

/* The HTTP status of a code. */
unsigned int apsp_problem_status(int code);

/* Reply with that problem; never fails. */
void apsp_reply_problem(struct apsp_request *req, const struct apsp_err *err,
	json_t *extra);

/* RFC 3339 in UTC with milliseconds; JSON null for 0. */
json_t *apsp_json_time(int64_t ms);

/* A number, or JSON null if it is not finite; integers without ".0". */
json_t *apsp_json_number(double value);

#endif
