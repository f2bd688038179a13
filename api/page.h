/*
 * Lists in pages: ?limit= and ?cursor=, and the way to the next page.
 */
#ifndef APSP_API_PAGE_H
#define APSP_API_PAGE_H

#include <stddef.h>

#include "api/request.h"
#include "daemon/base/err.h"

enum {
	APSP_PAGE_DEFAULT = 100,
	APSP_PAGE_MAX = 1000,
};

/* ?limit=, 1 to APSP_PAGE_MAX. APSP_EMALFORMED. */
int apsp_page_limit(const struct apsp_request *req, size_t *out_limit,
	struct apsp_err *err);

/*
 * Say in a Link header where the next page is (RFC 8288), so that NDJSON, which
 * has no place for it, says so too. cursor needs no escaping.
 */
int apsp_page_link(struct apsp_request *req, const char *path,
	const char *cursor, size_t limit, struct apsp_err *err);

#endif
