/*
 * The directories that a daemon has for itself.
 */
#ifndef APSP_STORAGE_DIRECTORY_H
#define APSP_STORAGE_DIRECTORY_H

#include "daemon/base/err.h"

/* Make path and what is missing above it, mode 0700. APSP_EIO, APSP_ENOSPACE.
 */
int apsp_directory_make(const char *path, struct apsp_err *err);

/*
 * Lock path against other daemons until *out is closed. APSP_EIO: another one
 * has it, said in a sentence.
 */
int apsp_directory_lock(const char *path, int *out, struct apsp_err *err);

/* Make the names in path durable. */
int apsp_directory_sync(const char *path, struct apsp_err *err);

#endif
