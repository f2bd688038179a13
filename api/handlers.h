/*
 * Declares the functions of all endpoints; each endpoint has its own .c file.
 * The declarations are made from routes.def, which is generated from the files
 * named contract.py. routes.def has a row for each endpoint:
 *
 *	ROUTE(endpoint, scope, method, takes, pattern, formats,
 *		has_etag, summary, arguments..., NULL)
 *
 * endpoint() in api/contract/words.py explains each argument.
 */
#ifndef APSP_API_HANDLERS_H
#define APSP_API_HANDLERS_H

#include <stddef.h>

#include "api/http/request.h"
#include "daemon/base/err.h"

#define DECLARE_NONE(endpoint)                                                 \
	int apsp_api_##endpoint(struct apsp_request *req, struct apsp_err *err);
#define DECLARE_EXPRESS(endpoint) DECLARE_NONE(endpoint)
#define DECLARE_BUFFER(endpoint) DECLARE_NONE(endpoint)
#define DECLARE_PIECES(endpoint)                                               \
	int apsp_api_##endpoint##_begin(                                       \
		struct apsp_request *req, struct apsp_err *err);               \
	DECLARE_NONE(endpoint)
#define DECLARE_STREAM(endpoint)                                               \
	int apsp_api_##endpoint##_body(struct apsp_request *req,               \
		const char *data, size_t size, struct apsp_err *err);          \
	DECLARE_PIECES(endpoint)
#define ROUTE(endpoint, scope, method, takes, ...) DECLARE_##takes(endpoint)
#include "api/contract/routes.def"
#undef ROUTE
#undef DECLARE_PIECES
#undef DECLARE_STREAM
#undef DECLARE_BUFFER
#undef DECLARE_EXPRESS
#undef DECLARE_NONE

#endif
