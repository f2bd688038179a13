/*
 * How a request passes through the server, from its request line to its
 * completion. Callbacks of libmicrohttpd do the steps:
 *
 *	line → headers: guard, route, begin → body … → answer → completed
 *
 * A short request is answered without libmicrohttpd, in one call of recv()
 * (api/http/README.md, Short questions go express). It passes the same guard,
 * routes and handlers as all other requests. All other requests go to
 * libmicrohttpd: requests that are long, have a body, end their connection,
 * need more time, or fail.
 */
#ifndef APSP_API_HTTP_DISPATCH_H
#define APSP_API_HTTP_DISPATCH_H

#include <stdbool.h>
#include <stddef.h>

struct apsp_connection;
struct apsp_err;
struct apsp_server;

/*
 * Try to answer a request before libmicrohttpd gets its bytes. This is the
 * function answer() of struct apsp_upward (answer.h); `ctx` is the struct
 * apsp_server. False: libmicrohttpd must serve the request. If a struct
 * apsp_request was made, conn->offered then keeps it for libmicrohttpd's
 * callbacks, so that the head is not checked again.
 */
bool apsp_dispatch_express(void *ctx, struct apsp_connection *conn,
	const char *bytes, size_t size);

/*
 * Start libmicrohttpd with its threads, and set server->daemon. The callbacks
 * of libmicrohttpd are in dispatch.c. Fails as apsp_event_threads_expect() and
 * apsp_event_threads_await() do. APSP_EIO: the threads cannot be started.
 */
int apsp_dispatch_start(struct apsp_server *server, struct apsp_err *err);

#endif
