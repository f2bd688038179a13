/*
 * The database's file while it is served. SQLite goes on in a file that was
 * removed, and what it commits there is lost at the end; so a store whose file
 * is not in its place refuses to write.
 */
#ifndef APSP_STORAGE_SNAPSHOTS_DATABASE_FILE_H
#define APSP_STORAGE_SNAPSHOTS_DATABASE_FILE_H

#include "daemon/base/err.h"

struct apsp_store;

/* Note which file was opened. APSP_EIO. */
int apsp_database_file_note(struct apsp_store *store, struct apsp_err *err);

/*
 * Whether that file is still in its place. Any thread. APSP_EUNUSABLE: it was
 * removed or replaced.
 */
int apsp_database_file_check(
	const struct apsp_store *store, struct apsp_err *err);

#endif
