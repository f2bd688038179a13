/*
 * The body of a request: what its route takes, the time that its client has,
 * and each piece on its way to the handler (api/http/README.md, A body is
 * refused while it comes).
 *
 * All on the connection's thread.
 */
#ifndef APSP_API_HTTP_REQUEST_BODY_H
#define APSP_API_HTTP_REQUEST_BODY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"

struct apsp_request;

/*
 * Whether the request may have the body that its head announces. size in bytes;
 * -1: it comes in chunks. APSP_EMALFORMED: its route takes none;
 * APSP_ETOOLARGE; APSP_EBUSY: too many bodies of this peer are under way.
 */
int apsp_request_body_check(const struct apsp_request *req, bool has_body,
	int64_t size, struct apsp_err *err);

/* Only the body is still to come: a stream's time begins. */
void apsp_request_body_start(struct apsp_request *req);

/*
 * Take a piece: into req->body, or to the handler. What fails is kept in
 * req->err for the answer; the rest of the body is read and dropped, and where
 * much is still to come, the client is told at once.
 */
void apsp_request_body_take(
	struct apsp_request *req, const char *data, size_t size);

/*
 * The work that the handler gave its last piece to, if it did, has ended: keep
 * the failure of that work in req->err.
 */
void apsp_request_body_collect(struct apsp_request *req);

#endif
