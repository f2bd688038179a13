/*
 * Reads a tar archive in pieces of any size, as the bytes arrive. It accepts
 * plain files and directories, as apspd and GNU tar write them
 * (storage/ingest/tar.h), and refuses everything else: links, devices, sparse
 * files, members with attributes of their own, bytes after the end.
 */
#ifndef APSP_STORAGE_INGEST_TAR_READER_H
#define APSP_STORAGE_INGEST_TAR_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/ingest/tar.h"

enum {
	/* largest size in bytes of the pax records of one member */
	APSP_TAR_PAX_MAX = 4096,
	/* largest number of zeros after the end of an archive; tar adds zeros
	   to fill its last record */
	APSP_TAR_REST_MAX = 1 << 20,
};

/* The reader calls these functions for the members, in their order in the
   archive. If a function returns a negative result, the reading ends. */
struct apsp_tar_handler {
	/* A member begins. header->type is APSP_TAR_FILE or
	   APSP_TAR_DIRECTORY; a directory has the size 0. */
	int (*begin)(void *ctx, const struct apsp_tar_header *header,
		struct apsp_err *err);
	/* the next bytes of the member; never called for a directory */
	int (*data)(
		void *ctx, const char *data, size_t size, struct apsp_err *err);
	/* all bytes of the member were passed to data() */
	int (*end)(void *ctx, struct apsp_err *err);
};

/* The caller sets `handler` and `ctx`, and sets all other members to 0. */
struct apsp_tar_reader {
	const struct apsp_tar_handler *handler; /* borrowed */
	void *ctx;

	/* The following members are private to tar_reader.c. */
	enum {
		APSP_TAR_AT_HEADER,
		APSP_TAR_IN_PAX,
		APSP_TAR_IN_DATA,
		APSP_TAR_IN_PADDING,
		APSP_TAR_AT_END, /* one block of zeros was read */
		APSP_TAR_ENDED,	 /* both blocks of zeros were read */
	} state;
	char block[APSP_TAR_BLOCK]; /* the bytes of the current header that were
				       read so far */
	size_t used;		    /* number of bytes in `block`, or in `pax`
				       while pax records are read */
	struct apsp_tar_header header;
	/* within a member or its padding: number of bytes that are still to
	   come; after the end of the archive: number of bytes that were read
	   after the end */
	uint64_t left;
	char pax[APSP_TAR_PAX_MAX + 1];
	/* the pax records have the size or the name of the next member */
	bool has_size, has_name;
	uint64_t pax_size;
	char pax_name[APSP_TAR_NAME_SIZE];
};

/* Read the next bytes. APSP_EDATA: the archive is damaged, or has a member that
   is refused. Also fails as the handler does. */
int apsp_tar_reader_feed(struct apsp_tar_reader *reader, const char *data,
	size_t size, struct apsp_err *err);

/* Call this after the last byte. APSP_EDATA: the archive is not complete. */
int apsp_tar_reader_end(struct apsp_tar_reader *reader, struct apsp_err *err);

#endif
