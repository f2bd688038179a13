/*
 * The body of an upload on its way to the pool: gathered into pieces, which the
 * pool decompresses and parses.
 */
#ifndef APSP_API_UPLOAD_BODY_H
#define APSP_API_UPLOAD_BODY_H

#include <stddef.h>

#include "api/http/request.h"
#include "daemon/base/err.h"
#include "storage/ingest/upload/inflate.h"

/* Zero is an empty one. */
struct apsp_upload_body {
	char *piece; /* as sent; owned */
	size_t room, size;
	const char *at; /* the bytes that the pool has not consumed */
	size_t left;
};

void apsp_upload_body_done(struct apsp_upload_body *body);

/* Content-Encoding: none, identity, gzip or zstd. APSP_EMEDIATYPE. */
int apsp_upload_body_coding(const struct apsp_request *req,
	enum apsp_coding *out, struct apsp_err *err);

/*
 * Append bytes, and hand the piece over once it is large enough for the pool.
 * APSP_ENOMEM.
 */
int apsp_upload_body_add(struct apsp_request *req,
	struct apsp_upload_body *body, const char *data, size_t size,
	int (*step)(struct apsp_request *req, struct apsp_err *err),
	struct apsp_err *err);

/*
 * Have the pool run step, which parses from at, sets size to 0 at the end of
 * the piece, and returns 1 before.
 */
void apsp_upload_body_hand_over(struct apsp_request *req,
	struct apsp_upload_body *body,
	int (*step)(struct apsp_request *req, struct apsp_err *err));

#endif
