/*
 * Compressing answers; see compressor.h.
 */
#include "api/encode/compressor.h"

#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#include "daemon/base/auto.h"

enum {
	LEVEL = 1,
	ZSTD_WINDOW_LOG = 18,
	GZIP_WINDOW = 15 + 16, /* adding 16 makes zlib write gzip's frame */
	GZIP_MEMORY = 8,
	GZIP_BYTES = 1 << 18, /* memory that zlib needs for GZIP_WINDOW and
				 GZIP_MEMORY, according to zlib's manual */
	PIECE = 16384, /* the output grows by this many bytes at a time */
};

struct apsp_compressor {
	enum apsp_packing coding;
	z_stream gzip;
	ZSTD_CCtx *zstd;
};

const char *const apsp_packing_names[] = {
	[APSP_PACKING_IDENTITY] = "identity",
	[APSP_PACKING_GZIP] = "gzip",
	[APSP_PACKING_ZSTD] = "zstd",
};

static int no_memory(struct apsp_err *err)
{
	return apsp_fail(err, APSP_ENOMEM, "no memory to compress an answer");
}

int apsp_compressor_new(enum apsp_packing coding, struct apsp_compressor **out,
	struct apsp_err *err)
{
	struct apsp_compressor *c = calloc(1, sizeof(*c));
	bool good = false;

	if (!c)
		return no_memory(err);
	c->coding = coding;
	if (coding == APSP_PACKING_GZIP) {
		good = deflateInit2(&c->gzip, LEVEL, Z_DEFLATED, GZIP_WINDOW,
			       GZIP_MEMORY, Z_DEFAULT_STRATEGY) == Z_OK;
	} else {
		c->zstd = ZSTD_createCCtx();
		good = c->zstd &&
		       !ZSTD_isError(ZSTD_CCtx_setParameter(
			       c->zstd, ZSTD_c_compressionLevel, LEVEL)) &&
		       !ZSTD_isError(ZSTD_CCtx_setParameter(
			       c->zstd, ZSTD_c_windowLog, ZSTD_WINDOW_LOG));
	}
	if (!good) {
		apsp_compressor_free(c);
		return no_memory(err);
	}
	*out = c;
	return 0;
}

void apsp_compressor_free(struct apsp_compressor *c)
{
	if (!c)
		return;
	if (c->coding == APSP_PACKING_GZIP)
		deflateEnd(&c->gzip);
	ZSTD_freeCCtx(c->zstd);
	free(c);
}

size_t apsp_compressor_bytes(const struct apsp_compressor *c)
{
	return c->zstd ? ZSTD_sizeof_CCtx(c->zstd) : GZIP_BYTES;
}

static int gzip_feed(struct apsp_compressor *c, const char *data, size_t size,
	bool last, struct apsp_text *out)
{
	int r = Z_OK;

	/* `size` fits zlib's type uInt, because blocks are far smaller than
	   UINT_MAX */
	c->gzip.next_in = (Bytef *)(uintptr_t)data;
	c->gzip.avail_in = (uInt)size;
	do {
		char *at = apsp_text_reserve(out, PIECE);

		if (!at)
			return -1;
		c->gzip.next_out = (Bytef *)at;
		c->gzip.avail_out = PIECE;
		r = deflate(&c->gzip, last ? Z_FINISH : Z_NO_FLUSH);
		out->size += PIECE - c->gzip.avail_out;
	} while (r >= 0 && r != Z_STREAM_END &&
		 (last || c->gzip.avail_out == 0));
	return r == Z_OK || r == Z_STREAM_END || r == Z_BUF_ERROR ? 0 : -1;
}

static int zstd_feed(struct apsp_compressor *c, const char *data, size_t size,
	bool last, struct apsp_text *out)
{
	ZSTD_inBuffer in = {data, size, 0};
	bool more = true;

	while (more) {
		char *at = apsp_text_reserve(out, PIECE);
		ZSTD_outBuffer to = {at, PIECE, 0};
		size_t left;

		if (!at)
			return -1;
		left = ZSTD_compressStream2(
			c->zstd, &to, &in, last ? ZSTD_e_end : ZSTD_e_continue);
		if (ZSTD_isError(left))
			return -1;
		out->size += to.pos;
		more = last ? left > 0 : in.pos < in.size;
	}
	return 0;
}

int apsp_compressor_feed(struct apsp_compressor *c, const char *data,
	size_t size, bool last, struct apsp_text *out, struct apsp_err *err)
{
	int r = c->coding == APSP_PACKING_GZIP
			? gzip_feed(c, data, size, last, out)
			: zstd_feed(c, data, size, last, out);

	return r < 0 ? no_memory(err) : 0;
}
