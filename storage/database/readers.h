/*
 * Read-only connections, which any thread may borrow, so that no lock is held
 * across SQL (storage/database/README.md, One connection writes).
 */
#ifndef APSP_STORAGE_DATABASE_READERS_H
#define APSP_STORAGE_DATABASE_READERS_H

#include <sqlite3.h>

#include "daemon/base/err.h"

struct apsp_readers;

/*
 * path is the database's file; it is copied. The caller ends *out with
 * apsp_readers_free(). APSP_ENOMEM.
 */
int apsp_readers_new(
	const char *path, struct apsp_readers **out, struct apsp_err *err);

/* Close all connections. All must have been returned. Accepts NULL. */
void apsp_readers_free(struct apsp_readers *readers);

/* Borrow a connection; one is opened if none is idle. apsp_readers_give()
   returns it. APSP_EDB, APSP_ENOMEM. */
int apsp_readers_take(
	struct apsp_readers *readers, sqlite3 **out, struct apsp_err *err);
void apsp_readers_give(struct apsp_readers *readers, sqlite3 *db);

#endif
