/*
 * The body of a request: whether its route accepts one, how long its client
 * may need, and each piece on its way to the handler (api/http/README.md, A
 * body is refused while it comes).
 *
 * Call all functions on the connection's thread.
 */
#ifndef APSP_API_HTTP_REQUEST_BODY_H
#define APSP_API_HTTP_REQUEST_BODY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"

struct apsp_request;

/* Whether a request's headers announce a body; *out_size is -1 if chunked. */
bool apsp_request_body_announced(
	const struct apsp_request *req, int64_t *out_size);

/*
 * Check that the request may have the body that its head announces. size is in
 * bytes; -1: the body comes in chunks. APSP_EMALFORMED: its route accepts none;
 * APSP_ETOOLARGE; APSP_EBUSY: too many bodies of this peer are under way.
 */
int apsp_request_body_check(const struct apsp_request *req, bool has_body,
	int64_t size, struct apsp_err *err);

/* The head is accepted: the time of a streamed body begins. */
void apsp_request_body_start(struct apsp_request *req);

/*
 * Append a piece to req->body, or call the handler with it. After a failure,
 * which is stored in req->err for the answer, the rest of the body is read and
 * dropped; if much is still to come, the answer is sent at once.
 */
void apsp_request_body_take(
	struct apsp_request *req, const char *data, size_t size);

/*
 * If the pool has worked on a piece of the body, store the failure of that work
 * in req->err.
 */
void apsp_request_body_collect(struct apsp_request *req);

#endif
