/*
 * Decompression with one fixed buffer; see inflate.h. A body may contain
 * several gzip members or zstd frames, as pigz, bgzip and `cat a.gz b.gz`
 * write. A body is refused if other bytes follow its last member or frame.
 */
#include "storage/ingest/upload/inflate.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

enum {
	OUT_SIZE = 1 << 17,
	MAGIC_SIZE = 4,
	/* binary logarithm of the largest zstd window that RFC 9659 allows on
	   the web: 8 MiB */
	WINDOW_LOG_MAX = 23,
};

struct apsp_inflate {
	enum apsp_coding coding;
	bool known;   /* the first bytes were checked, and `coding` is final */
	bool ended;   /* the gzip member or zstd frame that was read last is
			 complete */
	bool pending; /* the last call filled `out`, so the decoder may have
			 more output */
	uint8_t magic[MAGIC_SIZE];
	size_t magic_size, magic_used;
	struct apsp_inflate_limits limits;
	uint64_t n_in, n_out; /* bytes that the decoder has read, and bytes that
				 were passed to handler() */
	int (*handler)(
		void *ctx, const char *data, size_t size, struct apsp_err *err);
	void *ctx;
	z_stream gzip;
	ZSTD_DStream *zstd;
	char out[OUT_SIZE];
};

int apsp_inflate_new(enum apsp_coding coding,
	const struct apsp_inflate_limits *limits,
	int (*handler)(
		void *ctx, const char *data, size_t size, struct apsp_err *err),
	void *ctx, struct apsp_inflate **out, struct apsp_err *err)
{
	struct apsp_inflate *self = calloc(1, sizeof(*self));

	if (!self)
		return apsp_fail(err, APSP_ENOMEM, "no memory for an upload");
	self->coding = coding;
	self->limits = *limits;
	self->handler = handler;
	self->ctx = ctx;
	*out = self;
	return 0;
}

void apsp_inflate_free(struct apsp_inflate *self)
{
	if (!self)
		return;
	/* if inflateInit2() was not called or has failed, inflateEnd() finds no
	   state and does nothing */
	inflateEnd(&self->gzip);
	ZSTD_freeDStream(self->zstd);
	free(self);
}

static int deliver(struct apsp_inflate *self, const char *data, size_t size,
	struct apsp_err *err)
{
	const struct apsp_inflate_limits *limits = &self->limits;
	uint64_t left = limits->max_bytes - self->n_out;
	const bool plain = self->coding == APSP_CODING_IDENTITY;
	size_t allowed = size;
	int r;

	/* Pass the bytes up to the limit to handler() first. If handler()
	   refuses one of these bytes, report its error, not the exceeded limit.
	   So the error does not depend on the sizes of the pieces. */
	if (size > left)
		allowed = (size_t)left;
	self->n_out += allowed;
	r = allowed ? self->handler(self->ctx, data, allowed, err) : 0;
	if (r < 0)
		return r;
	if (allowed < size)
		return apsp_fail(err, APSP_ETOOLARGE,
			"the upload is larger than %" PRIu64 " bytes%s",
			limits->max_bytes, plain ? "" : ", decompressed");
	if (plain || limits->max_ratio == 0 ||
		self->n_out <= limits->free_bytes ||
		self->n_out / limits->max_ratio <= self->n_in)
		return 0;
	return apsp_fail(err, APSP_ETOOLARGE,
		"decompressed, the upload is more than %" PRIu32
		" times its size; past %" PRIu64 " bytes that is the limit: "
		"send it plain, or as a list of arcs",
		limits->max_ratio, limits->free_bytes);
}

/* Call the decoder of gzip once. Returns the number of bytes of `data` that it
   has consumed. */
static int64_t gzip_call(struct apsp_inflate *self, const uint8_t *data,
	size_t size, struct apsp_err *err)
{
	const size_t most = 1 << 30; /* zlib counts in 32 bits */
	z_stream *z = &self->gzip;
	size_t given = size < most ? size : most;
	int status, r;

	if (self->ended && size > 0) {
		inflateReset(z); /* begin the next gzip member */
		self->ended = false;
	}
	z->next_in = (Bytef *)(uintptr_t)data;
	z->avail_in = (uInt)given;
	z->next_out = (Bytef *)self->out;
	z->avail_out = OUT_SIZE;
	status = inflate(z, Z_NO_FLUSH);
	if (status == Z_MEM_ERROR)
		return apsp_fail(err, APSP_ENOMEM, "no memory for gzip");
	self->n_in += given - z->avail_in;
	r = deliver(self, self->out, OUT_SIZE - z->avail_out, err);
	if (r < 0)
		return r;
	if (status == Z_STREAM_END)
		self->ended = true;
	else if (status != Z_OK && status != Z_BUF_ERROR)
		return apsp_fail(err, APSP_EDATA,
			"the gzip data is damaged or followed by other bytes: "
			"%s",
			z->msg ? z->msg : "not a gzip stream");
	self->pending = z->avail_out == 0;
	return (int64_t)(given - z->avail_in);
}

/* Call the decoder of zstd once. Returns the number of bytes of `data` that it
   has consumed. */
static int64_t zstd_call(struct apsp_inflate *self, const uint8_t *data,
	size_t size, struct apsp_err *err)
{
	ZSTD_inBuffer in = {data, size, 0};
	ZSTD_outBuffer out = {self->out, OUT_SIZE, 0};
	size_t status;
	int r;

	status = ZSTD_decompressStream(self->zstd, &out, &in);
	self->n_in += in.pos;
	r = deliver(self, self->out, out.pos, err);
	if (r < 0)
		return r;
	if (ZSTD_getErrorCode(status) ==
		ZSTD_error_frameParameter_windowTooLarge)
		return apsp_fail(err, APSP_EDATA,
			"the zstd data needs a window above %d MiB: compress "
			"it without --long and --ultra",
			1 << (WINDOW_LOG_MAX - 20));
	if (ZSTD_isError(status))
		return apsp_fail(err, APSP_EDATA,
			"the zstd data is damaged or followed by other bytes: "
			"%s",
			ZSTD_getErrorName(status));
	self->ended = status == 0;
	/* After the end of a frame, no output is pending. The decoder must not
	   be called again, because it would expect another frame. */
	self->pending = out.pos == OUT_SIZE && !self->ended;
	return (int64_t)in.pos;
}

/* Decompress some bytes of `data`, at least one if there is any. Returns the
   number of bytes of `data` that were consumed. */
static int64_t piece_inflate(struct apsp_inflate *self, const uint8_t *data,
	size_t size, struct apsp_err *err)
{
	int r;

	if (self->coding == APSP_CODING_GZIP)
		return gzip_call(self, data, size, err);
	if (self->coding == APSP_CODING_ZSTD)
		return zstd_call(self, data, size, err);
	size = size < OUT_SIZE ? size : OUT_SIZE;
	self->n_in += size;
	r = deliver(self, (const char *)data, size, err);
	return r < 0 ? r : (int64_t)size;
}

/* Decide on the coding. Call this when MAGIC_SIZE bytes or the whole body have
   arrived. */
static int coding_settle(struct apsp_inflate *self, struct apsp_err *err)
{
	const uint8_t *m = self->magic;
	bool gzip = self->magic_size >= 2 && m[0] == 0x1f && m[1] == 0x8b;
	bool zstd = self->magic_size >= 4 && m[0] == 0x28 && m[1] == 0xb5 &&
		    m[2] == 0x2f && m[3] == 0xfd;
	int r;

	if (self->coding == APSP_CODING_IDENTITY && gzip)
		self->coding = APSP_CODING_GZIP;
	if (self->coding == APSP_CODING_IDENTITY && zstd)
		self->coding = APSP_CODING_ZSTD;
	self->known = true;
	if (self->coding == APSP_CODING_ZSTD) {
		r = apsp_share_grow(self->limits.share,
			(uint64_t)1 << WINDOW_LOG_MAX, "the window of zstd",
			err);
		if (r < 0)
			return r;
		self->zstd = ZSTD_createDStream();
		if (!self->zstd)
			return apsp_fail(
				err, APSP_ENOMEM, "no memory for zstd");
		ZSTD_DCtx_setParameter(
			self->zstd, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
	}
	if (self->coding == APSP_CODING_GZIP &&
		inflateInit2(&self->gzip, 15 + 16) != Z_OK)
		return apsp_fail(err, APSP_ENOMEM, "no memory for gzip");
	return 0;
}

/* Decompress some of the body's first bytes, which were kept in self->magic.
   Returns 1, because there may be more to do. */
static int magic_inflate(struct apsp_inflate *self, struct apsp_err *err)
{
	int64_t n = piece_inflate(self, self->magic + self->magic_used,
		self->magic_size - self->magic_used, err);

	if (n < 0)
		return (int)n;
	self->magic_used += (size_t)n;
	return 1;
}

int apsp_inflate_step(struct apsp_inflate *self, const char **data,
	size_t *size, struct apsp_err *err)
{
	int64_t n;
	int r;

	while (*size > 0 && self->magic_size < MAGIC_SIZE) {
		self->magic[self->magic_size++] = (uint8_t) * *data;
		++*data;
		(*size)--;
	}
	if (self->magic_size < MAGIC_SIZE)
		return 0;
	if (!self->known) {
		r = coding_settle(self, err);
		if (r < 0)
			return r;
	}
	if (self->magic_used < self->magic_size)
		return magic_inflate(self, err);
	if (*size == 0 && !self->pending)
		return 0;
	n = piece_inflate(self, (const uint8_t *)*data, *size, err);
	if (n < 0)
		return (int)n;
	*data += n;
	*size -= (size_t)n;
	return *size > 0 || self->pending;
}

int apsp_inflate_end(struct apsp_inflate *self, struct apsp_err *err)
{
	int r;

	if (self->magic_size == 0)
		return apsp_fail(err, APSP_EDATA, "the upload is empty");
	if (!self->known) { /* the body is shorter than MAGIC_SIZE, so decide on
			       the coding now */
		r = coding_settle(self, err);
		while (r >= 0 && self->magic_used < self->magic_size)
			r = magic_inflate(self, err);
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
