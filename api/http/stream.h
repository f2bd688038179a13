/*
 * Streamed replies: an answer of any length, made block by block as its client
 * reads it. Memory does not grow with the answer, and a client that stops
 * reading holds one block. A large block and its compressor count in the budget
 * of answers until they are sent (api/http/README.md, Answers share a budget).
 */
#ifndef APSP_API_HTTP_STREAM_H
#define APSP_API_HTTP_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/http/request.h"
#include "daemon/base/err.h"

#define APSP_STREAM_SIZE_UNKNOWN UINT64_MAX

/* Bytes that stay as they are until the next call of next(). */
struct apsp_stream_block {
	const char *data;
	size_t size;
};

struct apsp_stream {
	const char *type; /* Content-Type */
	uint64_t size;	  /* of the answer, or APSP_STREAM_SIZE_UNKNOWN */
	bool as_it_is; /* do not use gzip, which would cost more than it saves
			*/
	bool mapped;   /* blocks lie in a mapped file, so they need no memory */

	/*
	 * Store the next block. Returns 1 if others may follow, 0 if it is the
	 * last, or a negative code. A call may take some 5 ms; after that time
	 * it returns, even with an empty block. An error in the first block
	 * becomes the reply; a later one resets the connection, so that nobody
	 * mistakes a part for the whole.
	 */
	int (*next)(
		void *ctx, struct apsp_stream_block *out, struct apsp_err *err);
	/*
	 * May be NULL. Called after bytes of a block were copied, to check that
	 * the block has not changed since next(). APSP_EDAMAGED.
	 */
	int (*trust)(void *ctx, struct apsp_err *err);
	bool in_pool; /* next() may take milliseconds, and the handler runs on
			 the pool */
	void (*done)(void *ctx); /* frees ctx; always called once */
	void *ctx;
};

/*
 * Reply with the stream, compressed where the client accepts that (RFC 9110,
 * section 12.5.3) and asks for no range. zstd is preferred to gzip; as_it_is
 * allows only zstd, which runs at the speed of a disk. Errors of next(),
 * APSP_ENOMEM.
 */
int apsp_stream_reply(struct apsp_request *req, unsigned int status,
	const struct apsp_stream *stream, struct apsp_err *err);

#endif
