/*
 * Checks that the database's file is still in its place. SQLite keeps writing
 * to a file that was removed, and everything that it commits there is lost in
 * the end. So the store refuses to write when its file is gone.
 */
#ifndef APSP_STORAGE_SNAPSHOTS_DATABASE_FILE_H
#define APSP_STORAGE_SNAPSHOTS_DATABASE_FILE_H

#include "daemon/base/err.h"

struct apsp_store;

/* Remember which file was opened. APSP_EIO. */
int apsp_database_file_note(struct apsp_store *store, struct apsp_err *err);

/*
 * Check that the opened file is still in its place. Any thread. APSP_EUNUSABLE:
 * it was removed or replaced.
 */
int apsp_database_file_check(
	const struct apsp_store *store, struct apsp_err *err);

#endif
