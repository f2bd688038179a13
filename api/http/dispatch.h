/*
 * libmicrohttpd's callbacks: a request from its first line to its completion.
 *
 *	line → headers: guard, route, begin → body … → answer → completed
 */
#ifndef APSP_API_HTTP_DISPATCH_H
#define APSP_API_HTTP_DISPATCH_H

#include <microhttpd.h>
#include <stdint.h>

#include "daemon/base/err.h"

struct apsp_request;

/* cls is the struct apsp_server; microhttpd.h says when each is called. */

void *apsp_dispatch_line(
	void *cls, const char *target, struct MHD_Connection *connection);

enum MHD_Result apsp_dispatch_handle(void *cls,
	struct MHD_Connection *connection, const char *url, const char *method,
	const char *version, const char *data, size_t *size, void **ctx);

void apsp_dispatch_completed(void *cls, struct MHD_Connection *connection,
	void **ctx, enum MHD_RequestTerminationCode how);

/*
 * Judge the head of a request, of both ways (dispatch and express), in one
 * order: guard, route, the token's scope, query, conditions, format. The codes
 * of apsp_guard_check() (APSP_EMALFORMED: the connection must be closed),
 * apsp_route_find() (with the header Allow), apsp_guard_scope(),
 * apsp_query_parse() and apsp_negotiate_format(). On the express way APSP_EBUG
 * for a route that is not express.
 */
int apsp_dispatch_head(
	struct apsp_request *req, const char *method, struct apsp_err *err);

/*
 * Count and log a request of either way that has ended; end says how, for the
 * log.
 */
void apsp_dispatch_ended(
	const struct apsp_request *req, int64_t now_ns, const char *end);

void apsp_dispatch_connection(void *cls, struct MHD_Connection *connection,
	void **socket_ctx, enum MHD_ConnectionNotificationCode what);

#endif
