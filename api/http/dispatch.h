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

#include <stdbool.h>
#include <stddef.h>

struct apsp_connection;
struct apsp_err;
struct apsp_server;

/*
 * The function answer() of struct apsp_express (inflow.h); `ctx` is the struct
 * apsp_server. If the function has made a struct apsp_request but does not
 * answer, the connection keeps this struct for libmicrohttpd's callbacks. So no
 * head is checked twice, and no handler is called twice.
 */
bool apsp_dispatch_express(void *ctx, struct apsp_connection *conn,
	const char *bytes, size_t size);

/*
 * Start libmicrohttpd with its threads, and set server->daemon. The callbacks
 * of libmicrohttpd are in dispatch.c. The errors are those of
 * apsp_event_threads_expect() and apsp_event_threads_await(), and APSP_EIO: the
 * threads cannot be started.
 */
int apsp_dispatch_start(struct apsp_server *server, struct apsp_err *err);

#endif
