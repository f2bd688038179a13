/*
 * A pool of read-only connections. To read, a thread borrows a connection for
 * itself, so no thread holds a lock while it runs SQL
 * (storage/database/README.md, One connection writes).
 */
#ifndef APSP_STORAGE_DATABASE_READERS_H
#define APSP_STORAGE_DATABASE_READERS_H

#include <sqlite3.h>

#include "daemon/base/err.h"

struct apsp_readers;

/*
 * Make a pool of connections to the database at `path`; the path is copied. The
 * caller ends *out with apsp_readers_free(). APSP_ENOMEM.
 */
int apsp_readers_new(
	const char *path, struct apsp_readers **out, struct apsp_err *err);

/* Close all connections, which must all have been returned. Accepts NULL. */
void apsp_readers_free(struct apsp_readers *readers);

/* A borrowed connection. */
struct apsp_reader {
	struct apsp_readers *readers; /* NULL: no connection is borrowed */
	sqlite3 *db;
};

/* Borrow a connection until apsp_reader_end(). If no connection is idle, a new
   connection is opened. APSP_EDB, APSP_ENOMEM. */
int apsp_reader_begin(struct apsp_readers *readers, struct apsp_reader *out,
	struct apsp_err *err);
void apsp_reader_end(struct apsp_reader *reader);

#endif
