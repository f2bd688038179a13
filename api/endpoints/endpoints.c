/*
 * The table of routes, made of routes.def and of the rooms' contracts.
 */
#include "api/endpoints/endpoints.h"

#include "api/contract/contract.h"
#include "api/handlers.h"

#define FUNCTIONS_NONE(endpoint) .answer = apsp_api_##endpoint
#define FUNCTIONS_EXPRESS(endpoint) FUNCTIONS_NONE(endpoint)
#define FUNCTIONS_BUFFER(endpoint) FUNCTIONS_NONE(endpoint)
#define FUNCTIONS_STREAM(endpoint)                                             \
	.begin = apsp_api_##endpoint##_begin,                                  \
	.body = apsp_api_##endpoint##_body, FUNCTIONS_NONE(endpoint)
#define FUNCTIONS_PIECES(endpoint) FUNCTIONS_STREAM(endpoint)
/* path, and the name of a set of formats, which may be missing */
#define PATH_AND_FORMATS(path, set, ...)                                       \
	.pattern = (path), .formats = APSP_REPLIES_##set
#define ROUTE(room, endpoint, who, verb, mode, ...)                            \
	{.method = APSP_METHOD_##verb,                                         \
		.scope = APSP_SCOPE_##who,                                     \
		.body_mode = APSP_BODY_##mode,                                 \
		PATH_AND_FORMATS(__VA_ARGS__, JSON, ),                         \
		.arguments = (const char *const[])ARGUMENTS_##endpoint,        \
		.summary = SUMMARY_##endpoint,                                 \
		FUNCTIONS_##mode(endpoint)},

const struct apsp_route apsp_endpoints[] = {
#include "api/routes.def"
	{.pattern = NULL}};
