/*
 * The body of a request: whether the route accepts it, how much time the client
 * has to send it, and how its pieces reach the handler (api/http/README.md, A
 * body is refused while it comes).
 *
 * Call all functions on the connection's thread.
 */
#ifndef APSP_API_HTTP_REQUEST_BODY_H
#define APSP_API_HTTP_REQUEST_BODY_H

#include <stddef.h>

#include "daemon/base/err.h"

struct apsp_request;

/*
 * Check that the request is allowed to have the body that its head announces
 * (req->exchange->announced_bytes). APSP_EMALFORMED: the route accepts no body.
 * APSP_EMEDIATYPE: the body is compressed, but is no upload. APSP_ETOOLARGE:
 * the body is larger than the route's limit. APSP_EBUSY: too many bodies of
 * this peer are under way.
 */
int apsp_request_body_check(
	const struct apsp_request *req, struct apsp_err *err);

/* Begin to wait for the client to send the body, because the request's head is
   accepted. For an upload, the time limits begin now. */
void apsp_request_body_start(struct apsp_request *req);

/*
 * Process a piece of the body: append it to req->body, or call the handler's
 * body() with it. A failure is stored in req->err for the reply, and the rest
 * of the body is read and dropped. If much of the body is still to come, the
 * reply is sent at once.
 */
void apsp_request_body_take(
	struct apsp_request *req, const char *data, size_t size);

/*
 * If the pool's work on a piece of the body has ended with an error, store this
 * error in req->err.
 */
void apsp_request_body_collect(struct apsp_request *req);

#endif
