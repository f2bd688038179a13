/*
 * Whether a directory may be ours, and the file that marks it as ours
 * (storage/directories/README.md, Only what is ours).
 */
#ifndef APSP_STORAGE_DIRECTORIES_OWN_DIRECTORY_H
#define APSP_STORAGE_DIRECTORIES_OWN_DIRECTORY_H

#include <stdbool.h>

#include "daemon/base/err.h"

/* The marker. Its text is for people; that it is there is what counts. */
#define APSP_OWN_DIRECTORY_MARKER ".apspd-directory"

/*
 * Whether apspd may keep its files in the directory at path: it belongs to us
 * or to root, others may not write to it, and it is absent, empty, marked, or
 * laid out as an apspd without markers left it. Nothing is changed.
 * *out_marked: the marker is there.
 *
 * APSP_EUNUSABLE: it may not; the message is a whole sentence for the user and
 * says what to do. APSP_EIO.
 */
int apsp_own_directory_check(const char *path, const char *other,
	bool *out_marked, struct apsp_err *err);

/*
 * Mark a directory that was checked. APSP_EIO, APSP_ENOSPACE: it cannot be
 * written, which does no harm: the next start checks it as this one did.
 */
int apsp_own_directory_mark(const char *path, struct apsp_err *err);

#endif
