/*
 * Compression of answers by gzip (RFC 1952) and zstd (RFC 8878), block by
 * block, at the fastest level.
 */
#ifndef APSP_API_ENCODE_COMPRESSOR_H
#define APSP_API_ENCODE_COMPRESSOR_H

#include <stdbool.h>
#include <stddef.h>

#include "api/encode/text.h"
#include "daemon/base/err.h"

enum apsp_packing {
	APSP_PACKING_IDENTITY,
	APSP_PACKING_GZIP,
	APSP_PACKING_ZSTD,
};

struct apsp_compressor;

/* The names of codings for the header Content-Encoding. */
extern const char *const apsp_packing_names[];

/*
 * Make a compressor for APSP_PACKING_GZIP or APSP_PACKING_ZSTD. The caller ends
 * *out with apsp_compressor_free(), which accepts NULL. APSP_ENOMEM.
 */
int apsp_compressor_new(enum apsp_packing coding, struct apsp_compressor **out,
	struct apsp_err *err);
void apsp_compressor_free(struct apsp_compressor *compressor);

/* Returns the number of bytes of memory that the compressor uses now. */
size_t apsp_compressor_bytes(const struct apsp_compressor *compressor);

/*
 * Append the compressed form of `data` to `out`. The compressor may keep some
 * bytes until a later call. If `last` is true, this call ends the compressed
 * stream. APSP_ENOMEM.
 */
int apsp_compressor_feed(struct apsp_compressor *compressor, const char *data,
	size_t size, bool last, struct apsp_text *out, struct apsp_err *err);

#endif
