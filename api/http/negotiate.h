/* Choose an answer's format and compression from the formats and compressions
   that the client accepts. */
#ifndef APSP_API_HTTP_NEGOTIATE_H
#define APSP_API_HTTP_NEGOTIATE_H

#include "api/encode/compressor.h"
#include "api/http/request.h"
#include "daemon/base/err.h"

/*
 * Choose one of the formats of the request's route, by ?format= or else by
 * Accept. The chosen format replaces the route's default format, which the
 * caller has stored in req->format. The query must have been parsed.
 * APSP_ENOTACCEPTABLE: the client accepts none of the formats. APSP_EMALFORMED:
 * ?format= names none of the formats.
 */
int apsp_negotiate_format(struct apsp_request *req, struct apsp_err *err);

/*
 * Choose a compression by Accept-Encoding. zstd is preferred to gzip if both
 * have the same quality. If `zstd_only` is true, gzip is never chosen. Returns
 * APSP_PACKING_IDENTITY if neither gzip nor zstd can be chosen, or if the
 * request has a Range.
 */
enum apsp_packing apsp_negotiate_packing(
	const struct apsp_request *req, bool zstd_only);

/* Whether the client accepts gzip. This is for files that are stored
   compressed. */
bool apsp_negotiate_gzip(const struct apsp_request *req);

#endif
