/*
 * Connections that only read, lent to any thread, so that no lock is held
 * across SQL (storage/database/README.md, One connection writes).
 */
#ifndef APSP_STORAGE_DATABASE_READERS_H
#define APSP_STORAGE_DATABASE_READERS_H

#include <sqlite3.h>

#include "daemon/base/err.h"

struct apsp_readers;

/*
 * path: of the database file; copied. The caller ends *out with
 * apsp_readers_free(). APSP_ENOMEM.
 */
int apsp_readers_new(
	const char *path, struct apsp_readers **out, struct apsp_err *err);

/* Close all connections, which must have been given back. Accepts NULL. */
void apsp_readers_free(struct apsp_readers *readers);

/* Lend a connection, opened if none is idle. APSP_EDB, APSP_ENOMEM. */
int apsp_readers_take(
	struct apsp_readers *readers, sqlite3 **out, struct apsp_err *err);
void apsp_readers_give(struct apsp_readers *readers, sqlite3 *db);

#endif
