/*
 * GET /: the page for browsers, and for others a list of what there is to ask.
 */
#include <string.h>

#include "api/handlers.h"
#include "api/http/reply.h"
#include "api/http/route.h"
#include "api/page/page.h"

static const char *const methods[] = {
	[APSP_METHOD_GET] = "GET",
	[APSP_METHOD_PUT] = "PUT",
	[APSP_METHOD_POST] = "POST",
	[APSP_METHOD_DELETE] = "DELETE",
};

/* Every route but the page's own, relative to the page. */
static json_t *links_json(const struct apsp_route *routes)
{
	json_t *links = json_array();

	for (const struct apsp_route *at = routes; at->pattern; at++) {
		if (at->formats == APSP_REPLIES_PAGE ||
			strncmp(at->pattern, "/assets/", 8) == 0)
			continue;
		json_array_append_new(links,
			json_pack("{s:s, s:s, s:s}", "method",
				methods[at->method], "href", at->pattern + 1,
				"summary", at->summary));
	}
	return links;
}

int apsp_api_get_page(struct apsp_request *req, struct apsp_err *err)
{
	const struct apsp_server_config *config = apsp_request_config(req);

	if (apsp_request_format(req) == APSP_REPLY_HTML)
		return apsp_page_reply(req, err);
	return apsp_reply_json(req, MHD_HTTP_OK,
		json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:o}", "name",
			"apspd", "version", config->version, "page",
			"?format=html", "openapi", "v1/openapi.json",
			"problems", "problems/", "metrics", "metrics", "links",
			links_json(config->routes)),
		err);
}
