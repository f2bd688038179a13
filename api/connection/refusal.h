/*
 * Refusals that libmicrohttpd does not send: of connections that it never gets,
 * and of bytes that it never sees. They read like every other problem.
 */
#ifndef APSP_API_CONNECTION_REFUSAL_H
#define APSP_API_CONNECTION_REFUSAL_H

#include "daemon/base/err.h"

struct apsp_request_ids;

struct apsp_refusals {
	struct apsp_request_ids *ids;
	const char *base; /* of the types of problems; borrowed; NULL: none */
	/* Counts refused requests that libmicrohttpd never sees, by the code of
	   the refusal; 0: it was not sent whole. Any thread. A call upward
	   (api/README.md, Calls upward). */
	void (*count)(void *ctx, int code);
	void *ctx;
};

/*
 * Send the problem of an error with its own id, with "Connection: close"; the
 * caller ends the connection. Never blocks. Returns the error's code; 0: it was
 * not sent whole, for want of memory or of room in the socket's buffer.
 */
int apsp_refusal_send(const struct apsp_refusals *refusals, int fd,
	const struct apsp_err *err);

#endif
