/*
 * GET /: the page for browsers, and the list of requests for other clients.
 */
#include <stdio.h>
#include <string.h>

#include "api/handlers.h"
#include "api/http/guard.h"
#include "api/http/reply.h"
#include "api/http/route.h"
#include "api/packed_file.h"
#include "api/page/assets.h"
#include "api/page/page.h"
#include "daemon/base/auto.h"

/* Make the list of all routes except the page's own. Each path is relative to
   the page. */
static json_t *links_json(const struct apsp_route *routes)
{
	json_t *links = json_array();

	for (const struct apsp_route *at = routes; at->pattern; at++) {
		if (at->formats == APSP_REPLIES_PAGE ||
			strncmp(at->pattern, "/assets/", 8) == 0)
			continue;
		json_array_append_new(links,
			json_pack("{s:s, s:s, s:s}", "method",
				apsp_method_names[at->method], "href",
				at->pattern + 1, "summary", at->summary));
	}
	return links;
}

/*
 * Redirect a request for the base path if the slash at its end is missing. The
 * links in the page and in the list are relative: in a page loaded from "/lab"
 * instead of "/lab/" these links would lead out of the base path. Returns 1 if
 * the request was redirected, else 0.
 */
static int slash_add(struct apsp_request *req, struct apsp_err *err)
{
	const char *base = req->config->settings->base_path;
	const char *rest = apsp_guard_bare_base(req);
	APSP_AUTO(apsp_free) char *location = NULL;
	struct apsp_text nothing = {0};
	int r;

	if (!rest)
		return 0;
	/*
	 * the Location is relative, because a proxy may add a further prefix to
	 * the base path
	 */
	if (asprintf(&location, ".%s/%s", strrchr(base, '/'), rest) < 0) {
		location = NULL;
		return apsp_fail(err, APSP_ENOMEM, "no memory");
	}
	r = apsp_reply_header(req, "Location", location, err);
	if (r == 0)
		r = apsp_reply_bytes(
			req, MHD_HTTP_PERMANENT_REDIRECT, NULL, &nothing, err);
	return r < 0 ? r : 1;
}

int apsp_api_get_page(struct apsp_request *req, struct apsp_err *err)
{
	const struct apsp_server_config *config = req->config;
	const char *wanted = apsp_request_header(req, "If-Match");
	int r;

	r = slash_add(req, err);
	if (r != 0)
		return r < 0 ? r : 0;
	if (req->format == APSP_REPLY_HTML) {
		r = apsp_page_headers(req, err);
		return r < 0 ? r
			     : apsp_packed_file_reply(req,
				       apsp_packed_file_find(
					       apsp_page_files, "index.html"),
				       apsp_page_set, err);
	}
	if (wanted && strcmp(wanted, "*") != 0)
		return apsp_fail(err, APSP_EPRECONDITION,
			"the list of requests has no ETag");
	return apsp_reply_json(req, MHD_HTTP_OK,
		json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:o}", "name",
			"apspd", "version", config->version, "page",
			"?format=html", "openapi", "v1/openapi.json",
			"problems", "problems/", "metrics", "metrics", "links",
			links_json(config->routes)),
		err);
}
