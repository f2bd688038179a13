/*
 * The guard refuses hosts and origins that are not ours (api/http/README.md, A
 * browser is not a friend), targets that are neither a path nor a URL of the
 * Host, and tokens whose scope is too small.
 */
#ifndef APSP_API_HTTP_GUARD_H
#define APSP_API_HTTP_GUARD_H

#include <stdbool.h>

#include "api/http/request.h"
#include "daemon/base/settings.h"

/*
 * Check the settings that this room reads: the base path and the allowed
 * origins. APSP_EMALFORMED, with a sentence for the user.
 */
int apsp_guard_settings(
	const struct apsp_settings *settings, struct apsp_err *err);

/*
 * Check the headers and the raw target of a request. An allowed Origin of
 * another site is kept for the reply. APSP_EMALFORMED: the connection must be
 * closed, because nobody knows where the next request on it begins.
 * APSP_EMISDIRECTED: the Host is not ours. APSP_EFORBIDDEN: the Origin is
 * neither ours nor allowed.
 */
int apsp_guard_check(
	struct apsp_request *req, const char *method, struct apsp_err *err);

/*
 * Check the token of a request, once its route is known. If the server was
 * started without tokens, everybody may do everything. APSP_EUNAUTHORIZED:
 * there is no token, or the server does not know it; the reply then has the
 * header WWW-Authenticate. APSP_EFORBIDDEN: the token's scope is too small.
 */
int apsp_guard_scope(struct apsp_request *req, struct apsp_err *err);

/*
 * The path of a target that apsp_guard_check() has accepted, without the base
 * path, which a proxy may have cut off already; the caller frees it. base_path
 * NULL: there is none. APSP_ENOMEM.
 */
int apsp_guard_path(const char *target, const char *base_path, char **out_path,
	struct apsp_err *err);

/*
 * If a request's target is the base path without a "/" behind it: the query, or
 * "". NULL: the target is another one.
 */
const char *apsp_guard_bare_base(const struct apsp_request *req);

/*
 * Whether a Host, with or without a port, names loopback or is allowed, or with
 * any_address is a numeric address.
 */
bool apsp_guard_host(const char *host, const char *const *allowed,
	size_t n_allowed, bool any_address);

/* Whether a request's headers announce a body; *out_size is -1 if chunked. */
bool apsp_guard_body(const struct apsp_request *req, int64_t *out_size);

#endif
