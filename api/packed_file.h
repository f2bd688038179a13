/*
 * Files that are embedded in the executable, and replies with them. The files
 * were compressed by gzip when the daemon was built (api/embed.py).
 */
#ifndef APSP_API_PACKED_FILE_H
#define APSP_API_PACKED_FILE_H

#include <stddef.h>

#include "api/http/request.h"
#include "daemon/base/err.h"

struct apsp_packed_file {
	const char *name;	     /* file name without folders */
	const char *type;	     /* Content-Type */
	const unsigned char *packed; /* compressed by gzip */
	size_t packed_size;
	size_t size; /* bytes of the decompressed file */
};

/*
 * Find a file by its name. The list ends with an entry whose name is NULL.
 * Returns NULL if no file has the name.
 */
const struct apsp_packed_file *apsp_packed_file_find(
	const struct apsp_packed_file *files, const char *name);

/*
 * Reply with the file. If the client accepts gzip, the compressed file is sent;
 * otherwise the file is decompressed first. If the client already has the
 * version `etag`, the reply is a 304. APSP_ENOMEM.
 */
int apsp_packed_file_reply(struct apsp_request *req,
	const struct apsp_packed_file *file, const char *etag,
	struct apsp_err *err);

/*
 * Reply as apsp_packed_file_reply() does. But if the Host of the request is
 * localhost or a numeric address, with a port, replace each "localhost:8080" in
 * the file by this Host. A reply with a replaced Host has an ETag of its own,
 * and is not compressed by gzip. APSP_ENOMEM.
 */
int apsp_packed_file_reply_hosted(struct apsp_request *req,
	const struct apsp_packed_file *file, const char *etag,
	struct apsp_err *err);

#endif
