/*
 * Files in the executable, compressed by gzip when the daemon was built
 * (api/embed.py), and replies with them.
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
	size_t size; /* decompressed */
};

/* The file of that name in a list that ends with a NULL name; NULL: none. */
const struct apsp_packed_file *apsp_packed_file_find(
	const struct apsp_packed_file *files, const char *name);

/*
 * Reply with the file: compressed if the client accepts gzip, else
 * decompressed; 304 if the client has the version that etag names. APSP_ENOMEM.
 */
int apsp_packed_file_reply(struct apsp_request *req,
	const struct apsp_packed_file *file, const char *etag,
	struct apsp_err *err);

#endif
