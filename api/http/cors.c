/*
 * Answers to preflights of allowed origins; see cors.h.
 */
#include "api/http/cors.h"

#include <string.h>

#include "api/http/internal.h"
#include "api/http/reply.h"

/* Headers that a page may send besides those that every page may. */
#define SENT "Authorization, Content-Type, If-Match, If-None-Match, Range"
#define KEPT_S "600" /* how long a browser remembers */

bool apsp_cors_is_preflight(const struct apsp_request *req, const char *method)
{
	return req->exchange->origin && strcmp(method, "OPTIONS") == 0 &&
	       apsp_request_header(req, "Access-Control-Request-Method");
}

int apsp_cors_allow(
	struct apsp_request *req, const char *methods, struct apsp_err *err)
{
	int r;

	req->exchange->preflight = true;
	r = apsp_reply_header(
		req, "Access-Control-Allow-Methods", methods, err);
	if (r == 0)
		r = apsp_reply_header(
			req, "Access-Control-Allow-Headers", SENT, err);
	if (r == 0)
		r = apsp_reply_header(
			req, "Access-Control-Max-Age", KEPT_S, err);
	return r;
}
