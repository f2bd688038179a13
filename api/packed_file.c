/*
 * Files that are embedded in the executable; see packed_file.h. They are
 * compressed once, when the daemon is built, and decompressed for each client
 * that does not accept gzip.
 */
#include "api/packed_file.h"

#include <stdint.h>
#include <string.h>
#include <zlib.h>

#include "api/http/negotiate.h"
#include "api/http/reply.h"
#include "daemon/base/auto.h"

enum {
	GZIP_WINDOW = 15 + 16, /* adding 16 makes zlib read gzip */
};

const struct apsp_packed_file *apsp_packed_file_find(
	const struct apsp_packed_file *files, const char *name)
{
	for (const struct apsp_packed_file *at = files; at->name; at++) {
		if (strcmp(at->name, name) == 0)
			return at;
	}
	return NULL;
}

/* Unpack into *out. */
static int unpack(const struct apsp_packed_file *file, struct apsp_text *out,
	struct apsp_err *err)
{
	z_stream z = {
		.next_in = (unsigned char *)(uintptr_t)file->packed,
		.avail_in = (unsigned int)file->packed_size,
		.next_out = (void *)apsp_text_reserve(out, file->size),
		.avail_out = (unsigned int)file->size,
	};
	int r;

	if (!z.next_out || inflateInit2(&z, GZIP_WINDOW) != Z_OK)
		return apsp_fail(err, APSP_ENOMEM, "no memory");
	r = inflate(&z, Z_FINISH);
	inflateEnd(&z);
	if (r != Z_STREAM_END || z.avail_out)
		return apsp_fail(
			err, APSP_EBUG, "cannot unpack '%s'", file->name);
	out->size = file->size;
	return 0;
}

int apsp_packed_file_reply(struct apsp_request *req,
	const struct apsp_packed_file *file, const char *etag,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_text_done) struct apsp_text plain = {0};
	struct MHD_Response *response;
	int r;

	r = apsp_reply_etag(req, etag, err);
	if (r != 0)
		return r < 0 ? r : 0;
	if (!apsp_negotiate_gzip(req)) {
		r = unpack(file, &plain, err);
		return r < 0 ? r
			     : apsp_reply_bytes(req, MHD_HTTP_OK, file->type,
				       &plain, err);
	}
	r = apsp_reply_packed(req, APSP_PACKING_GZIP, err);
	if (r < 0)
		return r;
	response = MHD_create_response_from_buffer(file->packed_size,
		(void *)(uintptr_t)file->packed, MHD_RESPMEM_PERSISTENT);
	if (!response)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a reply");
	MHD_add_response_header(response, "Content-Type", file->type);
	return apsp_reply_queue(
		req, MHD_HTTP_OK, response, file->packed_size, err);
}
