/*
 * Decompresses the body of an upload. The client declares the coding (gzip or
 * zstd). If it declares none, the first bytes show the coding.
 */
#ifndef APSP_STORAGE_INGEST_UPLOAD_INFLATE_H
#define APSP_STORAGE_INGEST_UPLOAD_INFLATE_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/base/budget.h"

enum apsp_coding {
	APSP_CODING_IDENTITY, /* no coding is declared; the first bytes show
				 whether the coding is gzip, zstd or none */
	APSP_CODING_GZIP,
	APSP_CODING_ZSTD,
};

struct apsp_inflate;

struct apsp_inflate_limits {
	uint64_t max_bytes; /* limit of the number of decompressed bytes */
	/*
	 * Limit of the number of decompressed bytes for each compressed byte.
	 * It applies only to bodies with more than free_bytes decompressed
	 * bytes. 0: no limit.
	 */
	uint32_t max_ratio;
	uint64_t free_bytes;
	/* the upload's share of the memory budget; the share counts the window
	   of zstd; may be NULL */
	struct apsp_share *share;
};

/*
 * Make a decoder that calls handler() for each decompressed piece; a negative
 * result of handler() ends the decompression. *limits is copied. The caller
 * ends *out with apsp_inflate_free(). APSP_ENOMEM.
 */
int apsp_inflate_new(enum apsp_coding coding,
	const struct apsp_inflate_limits *limits,
	int (*handler)(
		void *ctx, const char *data, size_t size, struct apsp_err *err),
	void *ctx, struct apsp_inflate **out, struct apsp_err *err);
void apsp_inflate_free(struct apsp_inflate *inflate);

/*
 * Decompress some of the *size bytes at *data, and move *data and *size past
 * them. One call passes at most 128 KiB to handler(). Returns 1 if there is
 * more to do: the caller must call this function again, even if *size is 0.
 * Returns 0 when all given bytes are decompressed.
 *
 * APSP_EDATA: the compressed data is damaged, other bytes follow it, or it
 * needs a zstd window above 8 MiB. APSP_ETOOLARGE: a limit is exceeded.
 * APSP_ENOMEM. Also fails as apsp_share_grow() and handler() do.
 */
int apsp_inflate_step(struct apsp_inflate *inflate, const char **data,
	size_t *size, struct apsp_err *err);

/* Call this when the body is complete. APSP_EDATA: the body is empty or
   incomplete. Also fails as apsp_inflate_step() does. */
int apsp_inflate_end(struct apsp_inflate *inflate, struct apsp_err *err);

#endif
