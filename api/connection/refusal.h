/*
 * Refusals that go past libmicrohttpd: of a connection that it never gets, and
 * of bytes that it never sees. They read like every other problem.
 */
#ifndef APSP_API_CONNECTION_REFUSAL_H
#define APSP_API_CONNECTION_REFUSAL_H

#include <stdbool.h>

#include "daemon/base/err.h"

struct apsp_request_ids;

/*
 * Send the problem of an error with its own id of ids, with "Connection:
 * close"; the caller ends the connection. Never blocks. False: the answer is
 * not whole, since there is no memory or the socket's buffer has no room.
 */
bool apsp_refusal_send(
	struct apsp_request_ids *ids, int fd, const struct apsp_err *err);

#endif
