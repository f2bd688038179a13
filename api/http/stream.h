/*
 * Streamed replies: an answer of any length is made block by block as its
 * client reads it. Only one block is in memory, even if the answer is long or
 * its client stops reading. The memory of large blocks and of compressors
 * counts in the budget of answers until the blocks are sent
 * (api/http/README.md, Answers share a budget).
 */
#ifndef APSP_API_HTTP_STREAM_H
#define APSP_API_HTTP_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/http/request.h"
#include "daemon/base/err.h"

#define APSP_STREAM_SIZE_UNKNOWN UINT64_MAX

/* A part of the answer. The bytes of a block must not change until next() is
   called again. */
struct apsp_stream_block {
	const char *data;
	size_t size;
};

struct apsp_stream {
	const char *type; /* Content-Type */
	uint64_t size;	  /* bytes of the answer, or APSP_STREAM_SIZE_UNKNOWN */
	bool as_it_is;	  /* never compress by gzip, which would take more time
			     than it saves; zstd is allowed */
	bool uncoded; /* never compress, so that the same answer always has the
			 same bytes */
	bool mapped;  /* blocks are in a mapped file, so they are not counted as
			 memory */

	/*
	 * Store the next block. Returns 1 if more blocks may follow, 0 if this
	 * is the last block, or a negative code. A call returns after about 5
	 * ms at most, even if the block is still empty. If the first block
	 * fails, the error becomes the reply. If a later block fails, the
	 * connection is reset, so that the client does not mistake a part for
	 * the whole.
	 */
	int (*next)(
		void *ctx, struct apsp_stream_block *out, struct apsp_err *err);
	/*
	 * Called after the bytes of a block were copied, to check that the
	 * block has not changed since next(). NULL: blocks never change.
	 * APSP_EDAMAGED: the block has changed.
	 */
	int (*trust)(void *ctx, struct apsp_err *err);
	bool in_pool; /* next() may take milliseconds, so all blocks but the
			 first are made on the pool */
	void (*done)(void *ctx); /* frees ctx; called exactly once */
	void *ctx;
};

/*
 * Reply with the stream. The stream is compressed if the client accepts
 * compression (RFC 9110, section 12.5.3) and asks for no range. zstd is
 * preferred to gzip. If stream->as_it_is is set, gzip is not used. Fails as
 * next() does, or with APSP_ENOMEM.
 *
 * The handler must return the result. If the budget of answers is full, the
 * result is APSP_EBUSY. If the handler runs on the pool, the stream then waits
 * for memory, up to memory_wait_s seconds (limits.def), and the handler is not
 * called again.
 */
int apsp_stream_reply(struct apsp_request *req, unsigned int status,
	const struct apsp_stream *stream, struct apsp_err *err);

#endif
