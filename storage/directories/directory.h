/*
 * Make and sync directories.
 */
#ifndef APSP_STORAGE_DIRECTORIES_DIRECTORY_H
#define APSP_STORAGE_DIRECTORIES_DIRECTORY_H

#include "daemon/base/err.h"

/*
 * Make a directory and its missing parents, all with mode 0700. APSP_EIO,
 * APSP_ENOSPACE.
 */
int apsp_directory_make(const char *path, struct apsp_err *err);

/* Call fsync() on a directory, so that the names of its files survive a power
   cut. Fails with the codes of apsp_fail_errno(). */
int apsp_directory_sync(const char *path, struct apsp_err *err);

#endif
