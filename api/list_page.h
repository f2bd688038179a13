/*
 * Lists in pages: ?limit=, and the cursor of the next page.
 */
#ifndef APSP_API_LIST_PAGE_H
#define APSP_API_LIST_PAGE_H

#include <stddef.h>

#include "api/http/request.h"
#include "api/http/rows.h"
#include "daemon/base/err.h"

enum {
	APSP_LIST_PAGE_DEFAULT = 100,
	APSP_LIST_PAGE_MAX = 1000,
};

/* ?limit=, 1 to APSP_LIST_PAGE_MAX. APSP_EMALFORMED. */
int apsp_list_page_limit(const struct apsp_request *req, size_t *out_limit,
	struct apsp_err *err);

/*
 * Add the Link header (RFC 8288) of the next page: the request's arguments with
 * this cursor, relative to the request, so that it holds behind any proxy.
 * APSP_ENOMEM.
 */
int apsp_list_page_link(
	struct apsp_request *req, const char *cursor, struct apsp_err *err);

/*
 * Reply with a page of rows. cursor is the begin of the next page; NULL: this
 * is the last page. The cursor is in the head, and in a Link header (RFC 8288)
 * with the request's other arguments, because NDJSON has no head. Always ends
 * rows. Errors as apsp_rows_reply().
 */
int apsp_list_page_reply(struct apsp_request *req, const char *cursor,
	struct apsp_rows *rows, struct apsp_err *err);

#endif
