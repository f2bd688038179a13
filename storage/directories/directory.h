/*
 * Make, lock and sync directories.
 */
#ifndef APSP_STORAGE_DIRECTORIES_DIRECTORY_H
#define APSP_STORAGE_DIRECTORIES_DIRECTORY_H

#include "daemon/base/err.h"

/*
 * Make a directory and its missing parents, all with mode 0700. APSP_EIO,
 * APSP_ENOSPACE.
 */
int apsp_directory_make(const char *path, struct apsp_err *err);

/*
 * Lock a directory until the descriptor *out is closed. Every daemon locks its
 * directories before it uses them, so no other daemon uses this directory
 * meanwhile. APSP_EIO: another daemon has kept the directory locked for half a
 * second; the message is a whole sentence for the user.
 */
int apsp_directory_lock(const char *path, int *out, struct apsp_err *err);

/* Call fsync() on a directory, so that the names of its files survive a power
   cut. Fails with the codes of apsp_fail_errno(). */
int apsp_directory_sync(const char *path, struct apsp_err *err);

#endif
