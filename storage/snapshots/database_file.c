/*
 * Remembers the device and inode of the database's file; see database_file.h.
 */
#include "storage/snapshots/database_file.h"

#include <errno.h>
#include <sys/stat.h>

#include "storage/snapshots/store_core.h"

int apsp_database_file_note(struct apsp_store *store, struct apsp_err *err)
{
	struct stat st;

	if (stat(store->database_path, &st) < 0)
		return apsp_fail_errno(
			err, errno, "look at '%s'", store->database_path);
	store->database_dev = st.st_dev;
	store->database_ino = st.st_ino;
	return 0;
}

int apsp_database_file_check(
	const struct apsp_store *store, struct apsp_err *err)
{
	struct stat st;

	if (stat(store->database_path, &st) == 0 &&
		st.st_dev == store->database_dev &&
		st.st_ino == store->database_ino)
		return 0;
	return apsp_fail(err, APSP_EUNUSABLE,
		"the database was removed or replaced while apspd runs: stop "
		"apspd, put '%s' back, and start apspd again",
		store->database_path);
}
