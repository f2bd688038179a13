/*
 * Decompression: a body in, the file in the body out. The coding, plain, gzip
 * or zstd, is declared or told by the first bytes.
 */
#ifndef APSP_STORAGE_INGEST_UPLOAD_INFLATE_H
#define APSP_STORAGE_INGEST_UPLOAD_INFLATE_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/base/budget.h"

enum apsp_coding {
	APSP_CODING_IDENTITY, /* gzip and zstd are told by their first bytes */
	APSP_CODING_GZIP,
	APSP_CODING_ZSTD,
};

struct apsp_inflate;

/* Takes decompressed pieces in order; a negative return ends everything. */
typedef int apsp_inflate_taker(
	void *ctx, const char *data, size_t size, struct apsp_err *err);

struct apsp_inflate_limits {
	uint64_t max_bytes; /* decompressed */
	/*
	 * Decompressed bytes for each packed one, once free_bytes have come
	 * out; 0: any number.
	 */
	uint32_t max_ratio;
	uint64_t free_bytes;
	struct apsp_share *share; /* asked for the window; may be NULL */
};

/* The caller ends *out with apsp_inflate_free(). limits is copied. APSP_ENOMEM.
 */
int apsp_inflate_new(enum apsp_coding coding,
	const struct apsp_inflate_limits *limits, apsp_inflate_taker *taker,
	void *ctx, struct apsp_inflate **out, struct apsp_err *err);
void apsp_inflate_free(struct apsp_inflate *inflate);

/*
 * Take some of *data, of which *size are left, and hand on at most 128 KiB.
 * Returns 1 if more is to be done: call again, also when *size is 0. Returns 0
 * once all is taken and handed on.
 *
 * APSP_EDATA: damaged, bytes after the end, or a zstd window above 8 MiB;
 * APSP_ETOOLARGE: past a limit; APSP_ENOMEM; the errors of
 * apsp_share_grow() and the taker's.
 */
int apsp_inflate_step(struct apsp_inflate *inflate, const char **data,
	size_t *size, struct apsp_err *err);

/* APSP_EDATA: empty, or cut short. Errors as apsp_inflate_step(). */
int apsp_inflate_end(struct apsp_inflate *inflate, struct apsp_err *err);

#endif
