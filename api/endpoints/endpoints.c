/*
 * The table of routes, made of routes.def.
 */
#include "api/endpoints/endpoints.h"

#define FUNCTIONS_NONE(endpoint) .answer = apsp_api_##endpoint
#define FUNCTIONS_BUFFER(endpoint) FUNCTIONS_NONE(endpoint)
#define FUNCTIONS_STREAM(endpoint)                                             \
	.begin = apsp_api_##endpoint##_begin,                                  \
	.body = apsp_api_##endpoint##_body, FUNCTIONS_NONE(endpoint)
#define FUNCTIONS_PIECES(endpoint) FUNCTIONS_STREAM(endpoint)
#define ROUTE(endpoint, verb, mode, path)                                      \
	{.method = APSP_METHOD_##verb,                                         \
		.pattern = (path),                                             \
		.body_mode = APSP_BODY_##mode,                                 \
		FUNCTIONS_##mode(endpoint)},

const struct apsp_route apsp_endpoints[] = {
#include "api/endpoints/routes.def"
	{.pattern = NULL}};
