/*
 * Receives a table file that a client sends in a bundle (a saved graph). The
 * bytes are written directly to a file in the cache, so the tables are never
 * copied. While the bytes arrive, the size, the header and the checksum of
 * every block are checked. Later, a job proves that the numbers in the tables
 * are right (compute/solve/received_rows.h). After that, the file is the table
 * file of the graph.
 */
#ifndef APSP_STORAGE_INGEST_RECEIVED_TABLE_H
#define APSP_STORAGE_INGEST_RECEIVED_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/base/budget.h"
#include "daemon/base/err.h"
#include "daemon/job/table_file.h"

struct apsp_store;

/* The place where table files of bundles are stored until a job has proved that
   their tables are right. */
struct apsp_received_place {
	/* the directory; made if it is missing. NULL: a bundle with tables is
	   refused unless the request says tables=recompute. Borrowed. */
	const char *dir;
	/* Store the number of bytes that a new file may have. The function is
	   called with `store` before each file is made, because all uploads
	   share the space. */
	int (*room)(const struct apsp_store *store, uint64_t *out_bytes,
		struct apsp_err *err);
	const struct apsp_store *store;
	uint64_t limit_bytes; /* room of the empty cache: if a file is larger,
				 deletions cannot make room for it */
	/* the client is not allowed to send tables, because it has no token
	   with the scope admin */
	bool forbidden;
};

/* A member is private unless its comment begins with "Public". */
struct apsp_received_table {
	/* Public. The path of the file; owned. NULL: the file was moved, or it
	   was removed because no job can prove that its tables are right (see
	   `reason`). */
	char *path;
	/* Public. The reason why a job must compute the tables again. NULL: a
	   job proves that the received tables are right. */
	const char *reason;
	/* Public. The header; set when the first block has arrived. */
	struct apsp_table_header header;
	int fd;
	uint64_t size;	     /* size of the file in bytes */
	uint64_t at;	     /* number of bytes that were checked and written */
	uint64_t *checksums; /* checksums of the blocks of data; owned */
	size_t n_checksums;
	struct apsp_share *share; /* share of the budget of uploads; borrowed */
	size_t used;		  /* bytes in `block` */
	/* the block of which only the first bytes have arrived */
	unsigned char block[APSP_TABLE_BLOCK];
};

/*
 * Begin a file of `size` bytes, and reserve its space. `share` is borrowed; it
 * may be NULL. The caller ends *out with apsp_received_table_free().
 * APSP_ENOSPACE: the cache has no room for the file. APSP_EDATA: the size is
 * too small for a table file. APSP_EIO: the file cannot be made. APSP_ENOMEM.
 * Also fails as place->room() does.
 */
int apsp_received_table_new(const struct apsp_received_place *place,
	uint64_t size, struct apsp_share *share,
	struct apsp_received_table **out, struct apsp_err *err);

/* Close and free the object, and remove the file unless it was moved. Accepts
   NULL. */
void apsp_received_table_free(struct apsp_received_table *table);

/*
 * Check the next bytes and write them to the file. The bytes must not go beyond
 * the size of the file. APSP_EDATA: the file is damaged, or is no table file;
 * the message completes a sentence that begins with the name of the bundle's
 * member. APSP_ENOSPACE, APSP_EIO: the file cannot be written. APSP_ENOMEM.
 * Also fails as apsp_share_grow() does.
 */
int apsp_received_table_feed(struct apsp_received_table *table,
	const char *data, size_t size, struct apsp_err *err);

/* Call this when all bytes have arrived. Checks and closes the file. Fails as
   apsp_received_table_feed() does. */
int apsp_received_table_end(
	struct apsp_received_table *table, struct apsp_err *err);

#endif
