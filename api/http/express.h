/*
 * Answers to short requests without libmicrohttpd (api/http/README.md, Short
 * questions go express). Such a request is answered in one call of recv(), by
 * the same guard, routes and handlers as any other. libmicrohttpd gets the
 * bytes of all other requests: those that are long, have a body, end their
 * connection, need more time, or fail.
 */
#ifndef APSP_API_HTTP_EXPRESS_H
#define APSP_API_HTTP_EXPRESS_H

#include <stdbool.h>
#include <stddef.h>

struct apsp_connection;

/* The function for struct apsp_express (inflow.h). ctx is the struct
   apsp_server. */
bool apsp_express_answer(void *ctx, struct apsp_connection *conn,
	const char *bytes, size_t size);

#endif
