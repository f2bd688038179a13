/*
 * Make, lock and sync directories.
 */
#ifndef APSP_STORAGE_DIRECTORIES_DIRECTORY_H
#define APSP_STORAGE_DIRECTORIES_DIRECTORY_H

#include "daemon/base/err.h"

/*
 * Make the directory path and its missing parents with mode 0700. APSP_EIO,
 * APSP_ENOSPACE.
 */
int apsp_directory_make(const char *path, struct apsp_err *err);

/*
 * Lock the directory path against other daemons until *out is closed. APSP_EIO:
 * another daemon has locked it; the message is a whole sentence for the user.
 */
int apsp_directory_lock(const char *path, int *out, struct apsp_err *err);

/* Make the names of files in the directory path durable. Errors as
   apsp_fail_errno(). */
int apsp_directory_sync(const char *path, struct apsp_err *err);

#endif
