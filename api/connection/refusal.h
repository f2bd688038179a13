/*
 * Refusals that go past libmicrohttpd: of a connection that it never gets, and
 * of bytes that it never sees. They read like every other problem.
 */
#ifndef APSP_API_CONNECTION_REFUSAL_H
#define APSP_API_CONNECTION_REFUSAL_H

#include "daemon/base/err.h"

struct apsp_request_ids;

struct apsp_refusals {
	struct apsp_request_ids *ids;
	const char *base; /* of the types of problems; borrowed; NULL: none */
	/* counts those of requests that libmicrohttpd never sees, by their
	   code; 0: the answer was not whole. Any thread */
	void (*count)(void *ctx, int code);
	void *ctx;
};

/*
 * Send the problem of an error with its own id, with "Connection: close"; the
 * caller ends the connection. Never blocks. Returns the error's code; 0: the
 * answer is not whole, for want of memory or of room in the socket's buffer.
 */
int apsp_refusal_send(const struct apsp_refusals *refusals, int fd,
	const struct apsp_err *err);

#endif
