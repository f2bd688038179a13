/*
 * Preflights (CORS, https://fetch.spec.whatwg.org/): a browser asks before it
 * sends what a page of an allowed origin (--allowed-origin) wants to send. It
 * never adds credentials of its own: such a page sends its token itself.
 */
#ifndef APSP_API_HTTP_CORS_H
#define APSP_API_HTTP_CORS_H

#include <stdbool.h>

#include "api/http/request.h"
#include "daemon/base/err.h"

/* Whether a browser asks, before a page's request, if it may be sent. */
bool apsp_cors_is_preflight(const struct apsp_request *req, const char *method);

/*
 * Have the request answered with what an allowed page may send to this path;
 * methods as the Allow header has them. Returns 0. APSP_EMALFORMED: a preflight
 * has no body. APSP_ENOMEM.
 */
int apsp_cors_allow(
	struct apsp_request *req, const char *methods, struct apsp_err *err);

#endif
