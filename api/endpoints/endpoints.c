/*
 * The table of routes. It is generated from all files named contract.py.
 */
#include "api/endpoints/endpoints.h"

#include "api/body.h"
#include "api/handlers.h"

#define FUNCTIONS_NONE(endpoint) .answer = apsp_api_##endpoint
#define FUNCTIONS_EXPRESS(endpoint) FUNCTIONS_NONE(endpoint)
#define FUNCTIONS_BUFFER(endpoint) FUNCTIONS_NONE(endpoint)
#define FUNCTIONS_STREAM(endpoint)                                             \
	.begin = apsp_api_##endpoint##_begin,                                  \
	.body = apsp_api_##endpoint##_body, FUNCTIONS_NONE(endpoint)
#define FUNCTIONS_PIECES(endpoint)                                             \
	.begin = apsp_api_##endpoint##_begin, .body = apsp_body_stream_feed,   \
	FUNCTIONS_NONE(endpoint)
#define ROUTE(endpoint, who, verb, takes, path, set, tag, words, ...)          \
	{.method = APSP_METHOD_##verb,                                         \
		.scope = APSP_SCOPE_##who,                                     \
		.body_mode = APSP_BODY_##takes,                                \
		.pattern = (path),                                             \
		.formats = APSP_REPLIES_##set,                                 \
		.has_etag = (tag),                                             \
		.arguments = (const char *const[]){__VA_ARGS__},               \
		.summary = (words),                                            \
		FUNCTIONS_##takes(endpoint)},

const struct apsp_route apsp_endpoints[] = {
#include "api/contract/routes.def"
	{.pattern = NULL}};
