/*
 * Lists in pages.
 */
#include "api/list_page.h"

#include <stdio.h>

#include "api/http/query.h"
#include "api/http/reply.h"
#include "daemon/base/auto.h"

int apsp_list_page_limit(
	const struct apsp_request *req, size_t *out_limit, struct apsp_err *err)
{
	uint64_t limit;
	int r;

	r = apsp_query_uint(req, "limit", 1, APSP_LIST_PAGE_MAX,
		APSP_LIST_PAGE_DEFAULT, &limit, err);
	if (r < 0)
		return r;
	*out_limit = (size_t)limit;
	return 0;
}

int apsp_list_page_link(
	struct apsp_request *req, const char *cursor, struct apsp_err *err)
{
	APSP_AUTO(apsp_free) char *query = NULL;
	APSP_AUTO(apsp_free) char *link = NULL;
	int r;

	r = apsp_query_with(req, "cursor", cursor, &query, err);
	if (r < 0)
		return r;
	if (asprintf(&link, "<?%s>; rel=\"next\"", query) < 0) {
		link = NULL;
		return apsp_fail(err, APSP_ENOMEM, "no memory for a link");
	}
	return apsp_reply_header(req, "Link", link, err);
}

int apsp_list_page_reply(struct apsp_request *req, const char *cursor,
	struct apsp_rows *rows, struct apsp_err *err)
{
	int r = cursor ? apsp_list_page_link(req, cursor, err) : 0;

	rows->head = r < 0 ? NULL : json_pack("{s:s?}", "next", cursor);
	if (rows->head)
		return apsp_rows_reply(req, MHD_HTTP_OK, rows, err);
	rows->done(rows->ctx);
	return r < 0 ? r : apsp_fail(err, APSP_ENOMEM, "out of memory");
}
