/*
 * A table file that arrives in a bundle. Its bytes are written directly to a
 * file in the cache. If the tables are proved, this file becomes the table file
 * of the graph, so there is never a second copy. While the bytes arrive, the
 * size, the header and the checksum of every block are checked. Later, a job
 * proves that the numbers in the tables are right
 * (compute/solve/received_rows.h).
 */
#ifndef APSP_STORAGE_INGEST_RECEIVED_TABLE_H
#define APSP_STORAGE_INGEST_RECEIVED_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/base/budget.h"
#include "daemon/base/err.h"
#include "daemon/job/table_file.h"

/* The place where table files of bundles are stored until a job has proved
   them. */
struct apsp_received_place {
	/* the directory; made if it is missing. NULL: bundles with tables are
	   refused, unless the tables are computed again. Borrowed. */
	const char *dir;
	uint64_t room_bytes; /* limit of the size of all table files */
	/* the client is not allowed to send tables, because it has no token
	   with the scope admin */
	bool forbidden;
};

/* A member is private unless its comment begins with "Public". */
struct apsp_received_table {
	/* Public. The path of the file. NULL: its tables cannot be proved
	   (`reason`), or the file was moved or removed. Owned. */
	char *path;
	/* Public. The reason why a job must compute the tables again. NULL: a
	   job can prove them. */
	const char *reason;
	/* Public. The header; set when the first block has arrived. */
	struct apsp_table_header header;
	int fd;
	uint64_t size;	     /* of the file */
	uint64_t at;	     /* number of bytes that were checked and written */
	uint64_t *checksums; /* checksums of the blocks of data; owned */
	struct apsp_share *share; /* counts the memory; borrowed */
	size_t used;		  /* bytes in `block` */
	/* a block of which a part has arrived */
	unsigned char block[APSP_TABLE_BLOCK];
};

/*
 * Begin a file of `size` bytes, and reserve its space. `share` is borrowed; it
 * may be NULL. The caller ends *out with apsp_received_table_free().
 * APSP_ENOSPACE: the cache has no room for the file. APSP_EDATA: the size is
 * too small for a table file. APSP_ENOMEM, APSP_EIO; errors of
 * apsp_share_grow().
 */
int apsp_received_table_new(const struct apsp_received_place *place,
	uint64_t size, struct apsp_share *share,
	struct apsp_received_table **out, struct apsp_err *err);

/* Close and free the object, and remove the file unless it was moved. Accepts
   NULL. */
void apsp_received_table_free(struct apsp_received_table *table);

/*
 * Check and write the next bytes, which must not exceed the size. APSP_EDATA:
 * the file is damaged, or is no table file; the message is the end of a
 * sentence that begins with the name of the member. APSP_ENOSPACE, APSP_EIO,
 * APSP_ENOMEM; errors of apsp_share_grow().
 */
int apsp_received_table_feed(struct apsp_received_table *table,
	const char *data, size_t size, struct apsp_err *err);

/* End the file: all its bytes have arrived. Fails as
   apsp_received_table_feed() does. */
int apsp_received_table_end(
	struct apsp_received_table *table, struct apsp_err *err);

#endif
