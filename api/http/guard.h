/*
 * The guard judges the head of a request. It refuses hosts and origins that are
 * not ours (api/http/README.md, A browser is not a friend), targets that are
 * neither a path nor a URL of the Host, and tokens whose scope is too small.
 */
#ifndef APSP_API_HTTP_GUARD_H
#define APSP_API_HTTP_GUARD_H

#include <stdbool.h>

#include "api/http/request.h"
#include "daemon/base/settings.h"

/*
 * Check the settings that this room reads: the base path and the allowed
 * origins. APSP_EMALFORMED: the message is a sentence for the user.
 */
int apsp_guard_settings(
	const struct apsp_settings *settings, struct apsp_err *err);

/*
 * Judge the head of a request that comes by either way (dispatch.c, express.c),
 * in this order: the raw target, Host and Origin; the route; the token's scope;
 * the query; conditions; the format. An allowed Origin of another site is kept
 * for the reply, and a preflight of such an origin is marked in the exchange.
 *
 * APSP_EMALFORMED of the target or the headers: the connection will be closed,
 * because nobody knows where the next request on it begins. APSP_EMISDIRECTED:
 * the Host is not ours. APSP_EFORBIDDEN: the Origin is neither ours nor
 * allowed, or the token's scope is too small. APSP_EUNAUTHORIZED: there is no
 * token, or the server does not know it; the reply has WWW-Authenticate.
 * APSP_EMETHOD: the reply has Allow. Other codes as apsp_route_find(),
 * apsp_query_parse() and apsp_negotiate_format(). On the express way APSP_EBUG
 * for a route that is not express.
 */
int apsp_guard_head(
	struct apsp_request *req, const char *method, struct apsp_err *err);

/*
 * The query, or "", of a request whose target is the base path without a "/"
 * behind it. NULL: the target is another one.
 */
const char *apsp_guard_bare_base(const struct apsp_request *req);

#endif
