/*
 * Lists in pages.
 */
#include "api/page.h"

#include <stdio.h>

#include "api/reply.h"

int apsp_page_limit(
	const struct apsp_request *req, size_t *out_limit, struct apsp_err *err)
{
	uint64_t limit;
	int r;

	r = apsp_request_query_uint(
		req, "limit", 1, APSP_PAGE_MAX, APSP_PAGE_DEFAULT, &limit, err);
	if (r < 0)
		return r;
	*out_limit = (size_t)limit;
	return 0;
}

int apsp_page_link(struct apsp_request *req, const char *path,
	const char *cursor, size_t limit, struct apsp_err *err)
{
	char link[APSP_NAME_SIZE + 80];

	snprintf(link, sizeof(link), "<%s?limit=%zu&cursor=%s>; rel=\"next\"",
		path, limit, cursor);
	return apsp_reply_header(req, "Link", link, err);
}
