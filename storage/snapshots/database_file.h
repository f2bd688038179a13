/*
 * Checks that the database's file is still in its place. SQLite keeps writing
 * to a file that was removed, and everything that it commits to such a file is
 * lost. So the store refuses to write when the file is gone.
 */
#ifndef APSP_STORAGE_SNAPSHOTS_DATABASE_FILE_H
#define APSP_STORAGE_SNAPSHOTS_DATABASE_FILE_H

#include <sys/types.h>

#include "daemon/base/err.h"

struct apsp_database_file {
	char *path; /* owned */
	dev_t dev;  /* device and inode of the file that was opened */
	ino_t ino;
};

/* Store the device and inode of the file at file->path, which was just opened.
   APSP_EIO. */
int apsp_database_file_note(
	struct apsp_database_file *file, struct apsp_err *err);

/*
 * Check that the opened file is still in its place. Any thread may call this.
 * APSP_EUNUSABLE: the file was removed or replaced.
 */
int apsp_database_file_check(
	const struct apsp_database_file *file, struct apsp_err *err);

#endif
