/*
 * Headers of tar archives (POSIX.1-2001, pax). A member of a tar archive is a
 * header of 512 bytes, then the member's data, then zeros up to a multiple of
 * 512 bytes. Two blocks of zeros end the archive.
 *
 * A header of the older format ustar cannot hold a size of 8 GiB or more. A
 * member of such a size has two headers: a header of the type "x" with one
 * block of data, and then the usual header. The block of data contains the size
 * as a pax record, "19 size=8589934592\n".
 *
 * The headers that apspd writes depend on the name and the size only: all
 * times, owners and groups are 0, so equal members give equal bytes.
 */
#ifndef APSP_STORAGE_INGEST_TAR_H
#define APSP_STORAGE_INGEST_TAR_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"

enum {
	APSP_TAR_BLOCK = 512,
	APSP_TAR_NAME_SIZE = 101, /* with the NUL */
	/* largest number of bytes before the data of a member */
	APSP_TAR_HEADER_MAX = 3 * APSP_TAR_BLOCK,
	/* bytes that end an archive; all are 0 */
	APSP_TAR_END = 2 * APSP_TAR_BLOCK,
};

/* The smallest size that a header of ustar cannot hold: 8 GiB. */
#define APSP_TAR_LARGE (UINT64_C(1) << 33)

/* Return the number of bytes before the data of a member of this size. */
size_t apsp_tar_header_size(uint64_t size);

/* Return the number of zeros after the data of a member of this size. */
size_t apsp_tar_padding(uint64_t size);

/*
 * Write the headers of a plain file. `name` has at most APSP_TAR_NAME_SIZE - 1
 * bytes. Returns apsp_tar_header_size(size), the number of bytes written.
 */
size_t apsp_tar_header_write(
	const char *name, uint64_t size, char out[APSP_TAR_HEADER_MAX]);

/* Types of members. */
enum {
	APSP_TAR_FILE = '0',
	APSP_TAR_DIRECTORY = '5',
	APSP_TAR_PAX = 'x', /* records about the next member */
};

/* The fields of a member's header that we use. */
struct apsp_tar_header {
	char name[APSP_TAR_NAME_SIZE];
	char type;
	uint64_t size;
};

/*
 * Read a header that apspd or GNU tar has written. APSP_EDATA: the block is no
 * header, or its type is not supported. The supported types are plain file,
 * directory and x.
 */
int apsp_tar_header_read(const char block[APSP_TAR_BLOCK],
	struct apsp_tar_header *out, struct apsp_err *err);

#endif
