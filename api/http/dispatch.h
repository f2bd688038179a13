/*
 * How a request passes through the server, from its request line to its
 * completion. Callbacks of libmicrohttpd do the steps:
 *
 *	line → headers: guard, route, begin → body … → answer → completed
 *
 * A short request is answered without libmicrohttpd, in one call of recv(), by
 * the same guard, routes and handlers that serve the other requests
 * (api/http/README.md, Short questions go express). libmicrohttpd gets the
 * bytes of all other requests: those that are long, have a body, end their
 * connection, need more time, or fail.
 */
#ifndef APSP_API_HTTP_DISPATCH_H
#define APSP_API_HTTP_DISPATCH_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>

struct apsp_connection;

/*
 * The function answer() of struct apsp_express (inflow.h); `ctx` is the struct
 * apsp_server. If the function has made a struct apsp_request but does not
 * answer, the connection keeps this struct for libmicrohttpd's callbacks. So no
 * head is checked twice, and no handler is called twice.
 */
bool apsp_dispatch_express(void *ctx, struct apsp_connection *conn,
	const char *bytes, size_t size);

/* All functions from here on are callbacks of libmicrohttpd; their `cls` is the
   struct apsp_server. microhttpd.h says when each callback is called. */

void *apsp_dispatch_line(
	void *cls, const char *target, struct MHD_Connection *connection);

enum MHD_Result apsp_dispatch_handle(void *cls,
	struct MHD_Connection *connection, const char *url, const char *method,
	const char *version, const char *data, size_t *size, void **ctx);

void apsp_dispatch_completed(void *cls, struct MHD_Connection *connection,
	void **ctx, enum MHD_RequestTerminationCode how);

void apsp_dispatch_connection(void *cls, struct MHD_Connection *connection,
	void **socket_ctx, enum MHD_ConnectionNotificationCode what);

#endif
