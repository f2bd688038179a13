/*
 * Answers that we send ourselves, with the same headers as libmicrohttpd's.
 */
#ifndef APSP_API_HTTP_DIRECT_H
#define APSP_API_HTTP_DIRECT_H

#include <stdbool.h>

#include "api/encode/text.h"

struct apsp_request;

/*
 * Send a whole answer, or nothing. False: nothing was sent, because the answer
 * is larger than 16 KiB or the client has not read its last answers. type NULL:
 * no body.
 */
bool apsp_direct_send(const struct apsp_request *req, unsigned int status,
	const char *type, const struct apsp_text *body);

/*
 * Send the problem of req->err while the request's body is still coming, which
 * libmicrohttpd cannot do; the connection ends after this answer. False:
 * nothing was sent.
 */
bool apsp_direct_refuse(struct apsp_request *req);

#endif
