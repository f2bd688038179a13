/*
 * The bytes that come in on a connection, judged before libmicrohttpd reads
 * them. libmicrohttpd's calls of recv() reach the recv() of inflow.c, which the
 * executable exports. It reads from the socket, runs the framing over the
 * bytes, and passes on no byte from the first bad one
 * (api/connection/README.md, Bytes are judged first).
 *
 * Call these functions on the connection's thread of libmicrohttpd; only
 * apsp_inflow_start() is called before that thread has the connection.
 */
#ifndef APSP_API_CONNECTION_INFLOW_H
#define APSP_API_CONNECTION_INFLOW_H

#include <stdbool.h>
#include <stddef.h>

struct apsp_connection;
struct apsp_refusals;

enum {
	/* connections with a descriptor from here on are refused */
	APSP_INFLOW_FDS = 1 << 16,
};

/*
 * api/http's function that may answer a request before libmicrohttpd sees it: a
 * call upward (api/README.md, Calls upward). The request came alone and whole,
 * conn->framing.parts has the parts of its head, and no other request of the
 * connection is under way. Returns true if the answer was sent; libmicrohttpd
 * then gets none of the bytes. Returns false if nothing was sent; libmicrohttpd
 * then gets all of them.
 */
struct apsp_express {
	bool (*answer)(void *ctx, struct apsp_connection *conn,
		const char *bytes, size_t size);
	void *ctx;
};

/*
 * Begin to judge the bytes of a connection; the time of its first head counts
 * from now. refusals and express are borrowed; express may be NULL. False: the
 * descriptor's number is too large.
 */
bool apsp_inflow_start(struct apsp_connection *conn,
	const struct apsp_refusals *refusals,
	const struct apsp_express *express);

/* The descriptor will be closed: its number may soon mean another file. */
void apsp_inflow_stop(int fd);

/* libmicrohttpd has read a request's line. */
void apsp_inflow_begin(struct apsp_connection *conn);

/* libmicrohttpd has completed the request. */
void apsp_inflow_complete(struct apsp_connection *conn);

/*
 * Whether the head of the request that has begun was judged and is good. False
 * means that libmicrohttpd sees other requests than we, or reads past recv().
 */
bool apsp_inflow_is_judged(const struct apsp_connection *conn);

/*
 * Whether bytes behind the present request were refused, so that its answer is
 * the connection's last.
 */
bool apsp_inflow_is_last(const struct apsp_connection *conn);

/*
 * Whether the socket has room for an answer of so many bytes at once, which the
 * caller then sends. The kernel is asked only once in a few small answers.
 */
bool apsp_inflow_has_room(struct apsp_connection *conn, size_t size);

#endif
