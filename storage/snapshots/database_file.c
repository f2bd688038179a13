/*
 * Remembers the device and inode of the database's file; see database_file.h.
 */
#include "storage/snapshots/database_file.h"

#include <errno.h>
#include <sys/stat.h>

int apsp_database_file_note(
	struct apsp_database_file *file, struct apsp_err *err)
{
	struct stat st;

	if (stat(file->path, &st) < 0)
		return apsp_fail_errno(err, errno, "look at '%s'", file->path);
	file->dev = st.st_dev;
	file->ino = st.st_ino;
	return 0;
}

int apsp_database_file_check(
	const struct apsp_database_file *file, struct apsp_err *err)
{
	struct stat st;

	if (stat(file->path, &st) == 0 && st.st_dev == file->dev &&
		st.st_ino == file->ino)
		return 0;
	return apsp_fail(err, APSP_EUNUSABLE,
		"the database was removed or replaced while apspd runs: stop "
		"apspd, put '%s' back, and start apspd again. If you put a "
		"backup there, first remove the files apspd.sqlite-wal and "
		"apspd.sqlite-shm beside it",
		file->path);
}
