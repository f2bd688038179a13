/*
 * Decompression in one fixed buffer; see inflate.h. Several gzip members or
 * zstd frames may follow each other (pigz, bgzip and `cat a.gz b.gz` make such
 * files); any other bytes after the end are refused.
 */
#include "storage/ingest/inflate.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "daemon/base/auto.h"

enum {
	OUT_SIZE = 1 << 17,
	MAGIC_SIZE = 4,
	WINDOW_LOG_MAX = 27, /* zstd --long: 128 MiB of memory at most */
};

struct apsp_inflate {
	enum apsp_coding coding;
	bool known; /* the first bytes were looked at, coding is final */
	bool ended; /* the last member or frame is complete */
	uint8_t magic[MAGIC_SIZE];
	size_t magic_size;
	uint64_t bytes_left, max_bytes;
	apsp_inflate_taker *taker;
	void *ctx;
	z_stream gzip;
	bool gzip_ready;
	ZSTD_DStream *zstd;
	char out[OUT_SIZE];
};

APSP_AUTO_DEFINE(inflate_cleanup, struct apsp_inflate, apsp_inflate_free);

int apsp_inflate_new(enum apsp_coding coding, uint64_t max_bytes,
	apsp_inflate_taker *taker, void *ctx, struct apsp_inflate **out,
	struct apsp_err *err)
{
	APSP_AUTO(inflate_cleanup) struct apsp_inflate *self = NULL;

	self = calloc(1, sizeof(*self));
	if (!self)
		return apsp_fail(err, APSP_ENOMEM, "no memory for an upload");
	self->coding = coding;
	self->max_bytes = self->bytes_left = max_bytes;
	self->taker = taker;
	self->ctx = ctx;
	*out = APSP_TAKE(self);
	return 0;
}

void apsp_inflate_free(struct apsp_inflate *self)
{
	if (!self)
		return;
	if (self->gzip_ready)
		inflateEnd(&self->gzip);
	ZSTD_freeDStream(self->zstd);
	free(self);
}

static int deliver(struct apsp_inflate *self, const char *data, size_t size,
	struct apsp_err *err)
{
	size_t allowed = size;
	int r;

	/* hand on the bytes before the limit: any chunking fails alike */
	if (size > self->bytes_left)
		allowed = (size_t)self->bytes_left;
	self->bytes_left -= allowed;
	r = allowed ? self->taker(self->ctx, data, allowed, err) : 0;
	if (r < 0 || allowed == size)
		return r;
	return apsp_fail(err, APSP_ETOOLARGE,
		"the upload is larger than %" PRIu64 " bytes%s",
		self->max_bytes,
		self->coding == APSP_CODING_IDENTITY ? "" : ", decompressed");
}

static int gzip_feed(struct apsp_inflate *self, const uint8_t *data,
	size_t size, struct apsp_err *err)
{
	z_stream *z = &self->gzip;
	int status, r;

	z->next_in = (Bytef *)(uintptr_t)data;
	z->avail_in = (uInt)size;
	do {
		if (self->ended && z->avail_in > 0) {
			inflateReset(z); /* the next member */
			self->ended = false;
		}
		z->next_out = (Bytef *)self->out;
		z->avail_out = OUT_SIZE;
		status = inflate(z, Z_NO_FLUSH);
		if (status == Z_MEM_ERROR)
			return apsp_fail(
				err, APSP_ENOMEM, "no memory for gzip");
		r = deliver(self, self->out, OUT_SIZE - z->avail_out, err);
		if (r < 0)
			return r;
		if (status == Z_STREAM_END)
			self->ended = true;
		else if (status != Z_OK && status != Z_BUF_ERROR)
			return apsp_fail(err, APSP_EDATA,
				"the gzip data is damaged or followed by other "
				"bytes: %s",
				z->msg ? z->msg : "not a gzip stream");
	} while (z->avail_in > 0 || z->avail_out == 0);
	return 0;
}

static int zstd_feed(struct apsp_inflate *self, const uint8_t *data,
	size_t size, struct apsp_err *err)
{
	ZSTD_inBuffer in = {data, size, 0};
	ZSTD_outBuffer out;
	size_t status;
	int r;

	do {
		out = (ZSTD_outBuffer){self->out, OUT_SIZE, 0};
		status = ZSTD_decompressStream(self->zstd, &out, &in);
		r = deliver(self, self->out, out.pos, err);
		if (r < 0)
			return r;
		if (ZSTD_isError(status))
			return apsp_fail(err, APSP_EDATA,
				"the zstd data is damaged or followed by other "
				"bytes: %s",
				ZSTD_getErrorName(status));
		self->ended = status == 0;
		/* a call after the end would begin a frame that never comes */
	} while (in.pos < in.size || (out.pos == OUT_SIZE && !self->ended));
	return 0;
}

static int zlib_start(struct apsp_inflate *self, struct apsp_err *err)
{
	if (inflateInit2(&self->gzip, 15 + 16) != Z_OK)
		return apsp_fail(err, APSP_ENOMEM, "no memory for gzip");
	self->gzip_ready = true;
	return 0;
}

static int zstd_start(struct apsp_inflate *self, struct apsp_err *err)
{
	self->zstd = ZSTD_createDStream();
	if (!self->zstd)
		return apsp_fail(err, APSP_ENOMEM, "no memory for zstd");
	ZSTD_DCtx_setParameter(self->zstd, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
	return 0;
}

static int coded_feed(struct apsp_inflate *self, const uint8_t *data,
	size_t size, struct apsp_err *err)
{
	const size_t most = 1 << 30; /* zlib counts in 32 bits */
	int r = 0;

	if (self->coding == APSP_CODING_IDENTITY)
		return deliver(self, (const char *)data, size, err);
	while (size > 0 && r == 0) {
		size_t n = size < most ? size : most;

		r = self->coding == APSP_CODING_GZIP
			    ? gzip_feed(self, data, n, err)
			    : zstd_feed(self, data, n, err);
		data += n;
		size -= n;
	}
	return r;
}

/* The first bytes are here, or the body ended: settle the coding. */
static int coding_settle(struct apsp_inflate *self, struct apsp_err *err)
{
	const uint8_t *m = self->magic;
	bool gzip = self->magic_size >= 2 && m[0] == 0x1f && m[1] == 0x8b;
	bool zstd = self->magic_size >= 4 && m[0] == 0x28 && m[1] == 0xb5 &&
		    m[2] == 0x2f && m[3] == 0xfd;
	int r = 0;

	if (self->coding == APSP_CODING_IDENTITY && gzip)
		self->coding = APSP_CODING_GZIP;
	if (self->coding == APSP_CODING_IDENTITY && zstd)
		self->coding = APSP_CODING_ZSTD;
	self->known = true;
	if (self->coding == APSP_CODING_GZIP)
		r = zlib_start(self, err);
	else if (self->coding == APSP_CODING_ZSTD)
		r = zstd_start(self, err);
	if (r < 0)
		return r;
	return coded_feed(self, m, self->magic_size, err);
}

int apsp_inflate_feed(struct apsp_inflate *self, const char *data, size_t size,
	struct apsp_err *err)
{
	int r;

	while (!self->known && size > 0) {
		self->magic[self->magic_size++] = (uint8_t)*data++;
		size--;
		if (self->magic_size < MAGIC_SIZE)
			continue;
		r = coding_settle(self, err);
		if (r < 0)
			return r;
	}
	return size ? coded_feed(self, (const uint8_t *)data, size, err) : 0;
}

int apsp_inflate_end(struct apsp_inflate *self, struct apsp_err *err)
{
	int r;

	if (self->magic_size == 0)
		return apsp_fail(err, APSP_EDATA,
			"the upload is empty, expected a graph");
	if (!self->known) {
		r = coding_settle(self, err);
		if (r < 0)
			return r;
	}
	if (self->coding != APSP_CODING_IDENTITY && !self->ended)
		return apsp_fail(err, APSP_EDATA,
			"the %s data ends in the middle: the upload was cut "
			"short",
			self->coding == APSP_CODING_GZIP ? "gzip" : "zstd");
	return 0;
}
