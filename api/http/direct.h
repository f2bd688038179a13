/*
 * Answers that are sent past libmicrohttpd, with the same headers as its own.
 */
#ifndef APSP_API_HTTP_DIRECT_H
#define APSP_API_HTTP_DIRECT_H

#include <stdbool.h>

#include "api/encode/text.h"

struct apsp_request;

/*
 * Send an answer whole, or nothing of it: false, where it is larger than 16 KiB
 * or the client has not read what it was sent before. type NULL: no body.
 */
bool apsp_direct_send(const struct apsp_request *req, unsigned int status,
	const char *type, const struct apsp_text *body);

/*
 * Send the problem of req->err while the request's body still comes, which
 * libmicrohttpd cannot; the connection ends after this answer. False: nothing
 * was sent.
 */
bool apsp_direct_refuse(struct apsp_request *req);

#endif
