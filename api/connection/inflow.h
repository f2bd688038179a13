/*
 * Checks the bytes that come in on a connection, before libmicrohttpd reads
 * them. libmicrohttpd's calls of recv() reach the recv() of inflow.c, which the
 * executable exports. This function reads from the socket, runs the framing
 * over the bytes, and passes on only the bytes before the first bad byte
 * (api/connection/README.md, Bytes are judged first).
 *
 * Call apsp_inflow_start() before libmicrohttpd has the socket, and
 * apsp_inflow_stop() when libmicrohttpd no longer reads from it.
 */
#ifndef APSP_API_CONNECTION_INFLOW_H
#define APSP_API_CONNECTION_INFLOW_H

#include <stdbool.h>

struct apsp_connection;
struct apsp_upward;

enum {
	/* a connection is refused if its descriptor is this number or larger */
	APSP_INFLOW_FDS = 1 << 16,
};

/*
 * Begin to check the bytes of a connection. The time in which the client must
 * send the first head begins now. `upward` is borrowed. Returns false if the
 * descriptor is too large.
 */
bool apsp_inflow_start(
	struct apsp_connection *conn, const struct apsp_upward *upward);

/* Forget the connection of a descriptor. Call this before the descriptor is
   closed, because another file may get the same descriptor afterwards. */
void apsp_inflow_stop(int fd);

#endif
