/*
 * The body of an upload on its way to the pool: gathered into pieces, which are
 * decompressed and parsed by others.
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
	const char *at; /* what the pool has not taken of it */
	size_t left;
};

void apsp_upload_body_done(struct apsp_upload_body *body);

/* Content-Encoding: none, identity, gzip or zstd. APSP_EMEDIATYPE. */
int apsp_upload_body_coding(const struct apsp_request *req,
	enum apsp_coding *out, struct apsp_err *err);

/*
 * Add bytes. Returns 1 if the piece is large enough for the pool, else 0.
 * APSP_ENOMEM.
 */
int apsp_upload_body_add(struct apsp_upload_body *body, const char *data,
	size_t size, struct apsp_err *err);

/* Set at and left: the pool takes the piece, and sets size to 0 at its end. */
void apsp_upload_body_hand_over(struct apsp_upload_body *body);

#endif
