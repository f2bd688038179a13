/*
 * Decompression: a body in, the file in the body out. The coding, plain, gzip
 * or zstd, is declared or told by the first bytes.
 */
#ifndef APSP_STORAGE_INGEST_INFLATE_H
#define APSP_STORAGE_INGEST_INFLATE_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"

enum apsp_coding {
	APSP_CODING_IDENTITY, /* gzip and zstd are told by their first bytes */
	APSP_CODING_GZIP,
	APSP_CODING_ZSTD,
};

struct apsp_inflate;

/* Takes decompressed pieces in order; a negative return ends everything. */
typedef int apsp_inflate_taker(
	void *ctx, const char *data, size_t size, struct apsp_err *err);

/*
 * max_bytes bounds the decompressed bytes. The caller ends *out with
 * apsp_inflate_free().
 */
int apsp_inflate_new(enum apsp_coding coding, uint64_t max_bytes,
	apsp_inflate_taker *taker, void *ctx, struct apsp_inflate **out,
	struct apsp_err *err);
void apsp_inflate_free(struct apsp_inflate *inflate);

/*
 * APSP_EDATA: damaged, or bytes after the end; APSP_ETOOLARGE: more than
 * max_bytes; and the taker's errors.
 */
int apsp_inflate_feed(struct apsp_inflate *inflate, const char *data,
	size_t size, struct apsp_err *err);

/* APSP_EDATA: empty, or cut short. */
int apsp_inflate_end(struct apsp_inflate *inflate, struct apsp_err *err);

#endif
