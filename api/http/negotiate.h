/*
 * The format and the compression of an answer that a client accepts.
 */
#ifndef APSP_API_HTTP_NEGOTIATE_H
#define APSP_API_HTTP_NEGOTIATE_H

#include "api/encode/compressor.h"
#include "api/http/request.h"
#include "daemon/base/err.h"

/*
 * Choose among the formats of the request's route, by ?format= or else by
 * Accept, and store the choice in req->format, which is the route's default
 * before. The query must have been parsed. APSP_ENOTACCEPTABLE: the client
 * accepts none of them; APSP_EMALFORMED: no such format.
 */
int apsp_negotiate_format(struct apsp_request *req, struct apsp_err *err);

/*
 * Choose a compression by Accept-Encoding: zstd before gzip if both have the
 * same quality; with zstd_only, zstd or none. IDENTITY for a request with a
 * Range.
 */
enum apsp_packing apsp_negotiate_packing(
	const struct apsp_request *req, bool zstd_only);

/* Whether the client accepts gzip, for files that are kept compressed. */
bool apsp_negotiate_gzip(const struct apsp_request *req);

#endif
