/*
 * Preflights (CORS, https://fetch.spec.whatwg.org/): a browser asks before it
 * sends a request of a page of an allowed origin (--allowed-origin). It never
 * adds credentials by itself: such a page sends its token itself.
 */
#ifndef APSP_API_HTTP_CORS_H
#define APSP_API_HTTP_CORS_H

#include <stdbool.h>

#include "api/http/request.h"
#include "daemon/base/err.h"

/* Whether the request is a preflight of an allowed origin. */
bool apsp_cors_is_preflight(const struct apsp_request *req, const char *method);

/*
 * Add the headers that say what an allowed page may send to this path; methods
 * are those of the Allow header. APSP_ENOMEM.
 */
int apsp_cors_allow(
	struct apsp_request *req, const char *methods, struct apsp_err *err);

#endif
