/*
 * The body of an upload. It is gathered into pieces, which the pool
 * decompresses and parses. While the pool parses one piece, the connection
 * receives the next.
 */
#ifndef APSP_API_UPLOAD_BODY_H
#define APSP_API_UPLOAD_BODY_H

#include <stdbool.h>
#include <stddef.h>

#include "api/http/request.h"
#include "daemon/base/err.h"
#include "storage/ingest/upload/inflate.h"

/* The state of an upload's body. It must be the first member of the struct that
   the handler keeps in req->state. */
struct apsp_upload_body {
	/*
	 * Parse some of the *left bytes at *at, add their number to *at and
	 * subtract it from *left. Returns 1 while bytes are left. Called on the
	 * thread pool, while the connection receives the next piece.
	 */
	int (*parse)(struct apsp_request *req, const char **at, size_t *left,
		struct apsp_err *err);
	/* Called on the pool after the whole body was parsed. */
	int (*end)(struct apsp_request *req, struct apsp_err *err);

	/* The following members are private to upload_body.c. */
	struct apsp_piece {
		char *bytes; /* bytes as the client sent them; owned */
		size_t room, size;
	} received, parsed; /* the piece that is being received, and the piece
			       that the pool parses */
	size_t wanted;	    /* size at which `received` is complete */
	const char *at;	    /* bytes of `parsed` that are not parsed yet */
	size_t left;
	bool complete;
};

void apsp_upload_body_done(struct apsp_upload_body *body);

/*
 * Read the header Content-Encoding: identity, gzip or zstd. If the request does
 * not have the header, the coding is identity. APSP_EMEDIATYPE: another coding.
 */
int apsp_upload_body_coding(const struct apsp_request *req,
	enum apsp_coding *out, struct apsp_err *err);

/*
 * Append bytes to the piece that is being received; called by the handler's
 * body(). When the piece is complete, the pool parses it. But if the pool is
 * still parsing the previous piece, the connection is first suspended until the
 * pool is ready. APSP_ENOMEM.
 */
int apsp_upload_body_add(struct apsp_request *req, const char *data,
	size_t size, struct apsp_err *err);

/*
 * Let the thread pool parse the last piece and then call end(). The first call
 * returns 1. The handler must then return 0, and is called again when the body
 * is parsed. Later calls of this function return 0.
 */
int apsp_upload_body_end(struct apsp_request *req);

#endif
