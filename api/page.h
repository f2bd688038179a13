/*
 * Lists in pages: ?limit= and ?cursor=, and the way to the next page.
 */
#ifndef APSP_API_PAGE_H
#define APSP_API_PAGE_H

#include <stddef.h>

#include "api/reply.h"
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
 * Reply with a page: its rows, whose head is made here, and the way to the next
 * one, which begins behind cursor (NULL: there is none; it needs no escaping).
 * A Link header says it, too (RFC 8288), since NDJSON has no other place for
 * it. rows is taken over whatever happens.
 */
int apsp_page_reply(struct apsp_request *req, const char *path,
	const char *cursor, size_t limit, struct apsp_rows *rows,
	struct apsp_err *err);

#endif
