/*
 * Answers past libmicrohttpd (api/http/README.md, Short questions go express):
 * the request is read, answered and sent in one call of recv(), by the same
 * guard, routes and handlers as any other. Whatever is not plain goes to
 * libmicrohttpd instead, which then has all of its bytes: a request that is not
 * small, has a body, ends its connection or asks for what takes time, and
 * everything that is answered by an error.
 */
#ifndef APSP_API_HTTP_EXPRESS_H
#define APSP_API_HTTP_EXPRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "api/connection/inflow.h"

/* For the server's struct apsp_express; ctx is its struct apsp_server. */
bool apsp_express_answer(
	void *ctx, struct apsp_inflow *inflow, const char *bytes, size_t size);

#endif
