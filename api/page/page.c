/*
 * The headers of answers in HTML; see page.h.
 */
#include "api/page/page.h"

#include "api/http/reply.h"

/*
 * A browser is allowed to load only the daemon's own files and answers into the
 * page (api/page/README.md, Content-Security-Policy).
 */
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
