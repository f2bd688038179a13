/*
 * libmicrohttpd's callbacks, which lead a request from its first line to its
 * completion:
 *
 *	line → headers: guard, route, begin → body … → answer → completed
 */
#ifndef APSP_API_HTTP_DISPATCH_H
#define APSP_API_HTTP_DISPATCH_H

#include <microhttpd.h>
#include <stdint.h>

#include "daemon/base/err.h"

struct apsp_request;

/* In all callbacks, cls is the struct apsp_server. microhttpd.h says when
   each one is called. */

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
