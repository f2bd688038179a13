/*
 * Packed bytes for uploads.
 */
#ifndef APSP_TESTS_PACKED_H
#define APSP_TESTS_PACKED_H

#include <stddef.h>
#include <stdint.h>
#include <zlib.h>
#include <zstd.h>

/* Append size bytes as one gzip member, or zstd frame, to out at *used. */
static inline void gzip_append(
	char *out, size_t *used, size_t room, const char *data, size_t size)
{
	z_stream z = {0};

	deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
	z.next_in = (Bytef *)(uintptr_t)data;
	z.avail_in = (uInt)size;
	z.next_out = (Bytef *)out + *used;
	z.avail_out = (uInt)(room - *used);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	*used = room - z.avail_out;
	deflateEnd(&z);
}

static inline void zstd_append(
	char *out, size_t *used, size_t room, const char *data, size_t size)
{
	*used += ZSTD_compress(out + *used, room - *used, data, size, 3);
}

#endif
