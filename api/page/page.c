/*
 * The page's files are packed once, when they are built; a client that takes no
 * gzip gets them unpacked.
 */
#include "api/page/page.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "api/http/negotiate.h"
#include "api/http/reply.h"
#include "api/page/assets.h"
#include "daemon/base/auto.h"

enum {
	GZIP_WINDOW = 15 + 16, /* 16 tells zlib to read gzip's frame */
};

/* Nothing but the daemon's own files and answers (api/page/README.md, CSP). */
static const char policy[] =
	"default-src 'none'; script-src 'self'; style-src 'self'; "
	"img-src 'self'; connect-src 'self'; base-uri 'none'; "
	"form-action 'none'; frame-ancestors 'none'";

static const struct apsp_page_asset *find(const char *name)
{
	for (const struct apsp_page_asset *a = apsp_page_assets; a->name; a++) {
		if (strcmp(a->name, name) == 0)
			return a;
	}
	return NULL;
}

/* Unpack into out, which has a->size bytes. */
static int unpack(const struct apsp_page_asset *a, unsigned char *out,
	struct apsp_err *err)
{
	z_stream z = {
		.next_in = (unsigned char *)(uintptr_t)a->packed,
		.avail_in = (unsigned int)a->packed_size,
		.next_out = out,
		.avail_out = (unsigned int)a->size,
	};
	int r;

	if (inflateInit2(&z, GZIP_WINDOW) != Z_OK)
		return apsp_fail(err, APSP_ENOMEM, "no memory");
	r = inflate(&z, Z_FINISH);
	inflateEnd(&z);
	if (r != Z_STREAM_END || z.avail_out)
		return apsp_fail(err, APSP_EBUG, "cannot unpack '%s'", a->name);
	return 0;
}

/* The response with the file as it is; *out is owned. */
static int plain_response(const struct apsp_page_asset *a,
	struct MHD_Response **out, struct apsp_err *err)
{
	unsigned char *data = malloc(a->size);
	int r;

	if (!data)
		return apsp_fail(err, APSP_ENOMEM, "no memory");
	r = unpack(a, data, err);
	if (r == 0)
		*out = MHD_create_response_from_buffer(
			a->size, data, MHD_RESPMEM_MUST_FREE);
	if (r < 0 || !*out)
		free(data);
	return r;
}

static int reply_with(struct apsp_request *req, const struct apsp_page_asset *a,
	struct apsp_err *err)
{
	struct MHD_Response *response = NULL;
	bool packed = apsp_negotiate_gzip(req);
	int r;

	r = apsp_reply_etag(req, apsp_page_set, err);
	if (r != 0)
		return r < 0 ? r : 0;
	r = packed ? apsp_reply_packed(req, APSP_PACKING_GZIP, err)
		   : plain_response(a, &response, err);
	if (r < 0)
		return r;
	if (packed)
		response = MHD_create_response_from_buffer(a->packed_size,
			(void *)(uintptr_t)a->packed, MHD_RESPMEM_PERSISTENT);
	if (!response)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a reply");
	MHD_add_response_header(response, "Content-Type", a->type);
	return apsp_reply_queue(req, MHD_HTTP_OK, response,
		packed ? a->packed_size : a->size, err);
}

int apsp_page_headers(struct apsp_request *req, struct apsp_err *err)
{
	int r;

	r = apsp_reply_header(req, "Content-Security-Policy", policy, err);
	if (r == 0)
		r = apsp_reply_header(
			req, "Referrer-Policy", "no-referrer", err);
	if (r == 0)
		r = apsp_reply_header(
			req, "Cross-Origin-Opener-Policy", "same-origin", err);
	return r;
}

int apsp_page_reply(struct apsp_request *req, struct apsp_err *err)
{
	int r = apsp_page_headers(req, err);

	return r < 0 ? r : reply_with(req, find("index.html"), err);
}

int apsp_page_document_reply(struct apsp_request *req, struct apsp_err *err)
{
	return reply_with(req, find("openapi.json"), err);
}

int apsp_page_file_reply(struct apsp_request *req, const char *set,
	const char *name, struct apsp_err *err)
{
	const struct apsp_page_asset *a = find(name);

	if (!a || strcmp(set, apsp_page_set) != 0)
		return apsp_fail(err, APSP_ENOROUTE,
			"there is no '%s' in the page's files of this version; "
			"load the page again",
			name);
	apsp_reply_immutable(req);
	return reply_with(req, a, err);
}
