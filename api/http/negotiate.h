/*
 * The representation that a client accepts, of those that a route has.
 */
#ifndef APSP_API_HTTP_NEGOTIATE_H
#define APSP_API_HTTP_NEGOTIATE_H

#include "api/encode/compressor.h"
#include "api/http/request.h"
#include "daemon/base/err.h"

/*
 * Decide by ?format=, else by Accept, among the formats of the request's route,
 * and keep the decision in the request (apsp_request_format()). The query must
 * have been parsed. APSP_ENOTACCEPTABLE: the client accepts none of them;
 * APSP_EMALFORMED: no such format.
 */
int apsp_negotiate_format(struct apsp_request *req, struct apsp_err *err);

/*
 * How an answer may be compressed: by Accept-Encoding, zstd before gzip where
 * both are as welcome; with zstd_only, zstd or not at all. IDENTITY for a
 * request with a Range.
 */
enum apsp_packing apsp_negotiate_packing(
	const struct apsp_request *req, bool zstd_only);

/* Whether an answer may be compressed by gzip: for one that is kept so. */
bool apsp_negotiate_gzip(const struct apsp_request *req);

#endif
