/*
 * The guard checks the head of a request. Its main reasons for a refusal: the
 * Host or the Origin is neither ours nor allowed (api/http/README.md, A browser
 * is not a friend); the target is neither a path nor a URL of the Host; the
 * token's scope is too small. apsp_guard_head() lists all reasons.
 */
#ifndef APSP_API_HTTP_GUARD_H
#define APSP_API_HTTP_GUARD_H

#include "api/http/request.h"
#include "daemon/base/settings.h"

/*
 * Check the base path, the allowed hosts and the allowed origins in the
 * settings. APSP_EMALFORMED: one of them is malformed; the message is a
 * sentence for the user.
 */
int apsp_guard_settings(
	const struct apsp_settings *settings, struct apsp_err *err);

/*
 * Check the head of a request, in this order: the raw target, Host and Origin;
 * the route; the token's scope; whether the store is open; the query; If-Match
 * and If-None-Match; the format. If the Origin is an allowed origin of another
 * site, the function stores this Origin in req->exchange, because the reply
 * must name it. It also stores whether the request is a preflight (CORS): a
 * browser asks whether a page of this Origin may send a request.
 *
 *	APSP_EMALFORMED    the target or Expect is malformed; the connection
 *	                   will be closed, because nobody knows where its next
 *	                   request begins
 *	                   the query or a condition is malformed; the
 *	                   connection stays open
 *	APSP_EMISDIRECTED  the Host is not ours
 *	APSP_EREADONLY     the daemon follows another daemon, and the request
 *			   would change something
 *	APSP_EFORBIDDEN    the Origin is neither ours nor allowed, or the
 *	                   token's scope is too small
 *	APSP_EUNAUTHORIZED there is no token, or the server does not know it;
 *	                   the reply has WWW-Authenticate
 *	APSP_EMETHOD       the path has other methods; the reply has Allow
 *	config->refusal    the daemon could not open its store
 *
 * Also fails as apsp_route_find(), apsp_query_parse() and
 * apsp_negotiate_format() do.
 */
int apsp_guard_head(
	struct apsp_request *req, const char *method, struct apsp_err *err);

/*
 * If the path of the request is the base path without a "/" behind it, returns
 * the query with its "?", or "" if there is no query. For all other paths,
 * returns NULL.
 */
const char *apsp_guard_bare_base(const struct apsp_request *req);

/* Whether the request is allowed to use options that need the scope admin: its
   token has this scope, its connection needs no token, or the server was
   started without tokens. Handlers call this if an option of a request needs a
   larger scope than the request's route. */
bool apsp_guard_is_admin(const struct apsp_request *req);

#endif
