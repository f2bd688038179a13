/*
 * The page and its files, with the headers that browsers need.
 */
#include "api/page/page.h"

#include <string.h>

#include "api/http/reply.h"
#include "api/packed_file.h"
#include "api/page/assets.h"

/* Nothing but the daemon's own files and answers (api/page/README.md, CSP). */
static const char policy[] =
	"default-src 'none'; script-src 'self'; style-src 'self'; "
	"img-src 'self'; connect-src 'self'; base-uri 'none'; "
	"form-action 'none'; frame-ancestors 'none'";

int apsp_page_headers(struct apsp_request *req, struct apsp_err *err)
{
	int r;

	r = apsp_reply_header(req, "Content-Security-Policy", policy, err);
	if (r == 0)
		r = apsp_reply_header(
			req, "Referrer-Policy", "no-referrer", err);
	if (r == 0)
		r = apsp_reply_header(
			req, "Cross-Origin-Opener-Policy", "same-origin", err);
	return r;
}

int apsp_page_reply(struct apsp_request *req, struct apsp_err *err)
{
	int r = apsp_page_headers(req, err);

	if (r < 0)
		return r;
	return apsp_packed_file_reply(req,
		apsp_packed_file_find(apsp_page_files, "index.html"),
		apsp_page_set, err);
}

int apsp_page_document_reply(struct apsp_request *req, struct apsp_err *err)
{
	return apsp_packed_file_reply(req,
		apsp_packed_file_find(apsp_page_files, "openapi.json"),
		apsp_page_set, err);
}

int apsp_page_file_reply(struct apsp_request *req, const char *set,
	const char *name, struct apsp_err *err)
{
	const struct apsp_packed_file *file =
		apsp_packed_file_find(apsp_page_files, name);

	if (!file || strcmp(set, apsp_page_set) != 0)
		return apsp_fail(err, APSP_ENOROUTE,
			"there is no '%s' in the page's files of this version; "
			"load the page again",
			name);
	apsp_reply_immutable(req);
	return apsp_packed_file_reply(req, file, apsp_page_set, err);
}
