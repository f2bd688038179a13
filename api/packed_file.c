/*
 * Files that are embedded in the executable; see packed_file.h. They are
 * compressed once, when the daemon is built, and decompressed for each client
 * that does not accept gzip.
 */
#include "api/packed_file.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

#include "api/http/negotiate.h"
#include "api/http/reply.h"
#include "daemon/base/auto.h"

enum {
	GZIP_WINDOW = 15 + 16, /* adding 16 makes zlib read gzip */
	HOST_SIZE = 64,	       /* bytes of an address with its port, and NUL */
};

/* the address of the daemon in the embedded files; the request's Host may
   replace it in a reply */
static const char own_host[] = "localhost:8080";

const struct apsp_packed_file *apsp_packed_file_find(
	const struct apsp_packed_file *files, const char *name)
{
	for (const struct apsp_packed_file *at = files; at->name; at++) {
		if (strcmp(at->name, name) == 0)
			return at;
	}
	return NULL;
}

/* Decompress the file into *out. */
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

/*
 * Whether a Host is localhost or a numeric address, with a port. Such a Host
 * has only characters that are safe in a string or a comment of a program. No
 * URL can be made from any other Host: a name from --allowed-host may belong to
 * a proxy with TLS, so the scheme is unknown, and a Host without a port may
 * have come over a unix socket, which has no port.
 */
static bool host_is_address(const char *host)
{
	size_t named = strlen("localhost");
	const char *rest = host;

	if (strlen(host) >= HOST_SIZE)
		return false;
	if (strncasecmp(host, "localhost:", named + 1) == 0)
		rest = host + named;
	else if (host[0] == '[' ? !strstr(host, "]:")
				: !isdigit((unsigned char)host[0]) ||
					  !strchr(host, ':'))
		return false;
	return rest[strspn(rest, "0123456789abcdefABCDEF.:[]")] == '\0';
}

/* Append the file to *out, with `host` in place of each own_host. */
static void host_replace(
	const struct apsp_text *file, const char *host, struct apsp_text *out)
{
	const char *at = file->data, *end = file->data + file->size, *next;
	size_t size = strlen(own_host);

	while ((next = memmem(at, (size_t)(end - at), own_host, size))) {
		apsp_text_append(out, at, (size_t)(next - at));
		apsp_text_string(out, host);
		at = next + size;
	}
	apsp_text_append(out, at, (size_t)(end - at));
}

int apsp_packed_file_reply_hosted(struct apsp_request *req,
	const struct apsp_packed_file *file, const char *etag,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_text_done) struct apsp_text plain = {0};
	APSP_AUTO(apsp_text_done) struct apsp_text hosted = {0};
	const char *host = apsp_request_header(req, "Host");
	char own_etag[2 * HOST_SIZE];
	int r;

	if (!host || strcmp(host, own_host) == 0 || !host_is_address(host))
		return apsp_packed_file_reply(req, file, etag, err);
	snprintf(own_etag, sizeof(own_etag), "%s-%s", etag, host);
	r = apsp_reply_etag(req, own_etag, err);
	if (r != 0)
		return r < 0 ? r : 0;
	r = unpack(file, &plain, err);
	if (r < 0)
		return r;
	host_replace(&plain, host, &hosted);
	r = apsp_text_check(&hosted, err);
	return r < 0 ? r
		     : apsp_reply_bytes(
			       req, MHD_HTTP_OK, file->type, &hosted, err);
}
