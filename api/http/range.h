/*
 * Range requests (RFC 9110, section 14): a part of an answer of known size.
 */
#ifndef APSP_API_HTTP_RANGE_H
#define APSP_API_HTTP_RANGE_H

#include <stdint.h>

#include "api/http/request.h"
#include "daemon/base/err.h"

struct apsp_range {
	uint64_t begin;
	uint64_t size;
	unsigned int status; /* HTTP status: 200, or 206 for a part */
};

/*
 * Read the request's Range for an answer of `size` bytes, and add the headers
 * that the answer needs. Call apsp_reply_etag() first, because If-Range and
 * If-Match are compared with the ETag. A request gets the whole answer in three
 * cases: its Range has several ranges, or a unit other than bytes; If-Range has
 * another ETag; If-Match has only the ETag of a compressed form. APSP_ERANGE:
 * the range begins behind the answer's end.
 */
int apsp_range_read(struct apsp_request *req, uint64_t size,
	struct apsp_range *out, struct apsp_err *err);

#endif
