/*
 * Decides whether apspd is allowed to use a directory. A file marks each
 * directory that apspd uses (storage/directories/README.md, Only what is ours).
 */
#ifndef APSP_STORAGE_DIRECTORIES_OWN_DIRECTORY_H
#define APSP_STORAGE_DIRECTORIES_OWN_DIRECTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/job/table_file.h"

#define APSP_DIRECTORY_DATABASE "apspd.sqlite"
#define APSP_DIRECTORY_TABLES "tables"
#define APSP_DIRECTORY_JOBS "jobs"
#define APSP_DIRECTORY_RECEIVED "received"

/* Name of the file that marks a directory of apspd. Only the existence of the
   file matters; its text is for people. */
#define APSP_OWN_DIRECTORY_MARKER ".apspd-directory"

/*
 * Check whether apspd is allowed to keep its files in the directory at `path`.
 * An absent directory is allowed. An existing directory must belong to the user
 * of this process or to root, and its mode must not let every user write to it.
 * It must also be empty, have the marker, or be a directory of an old version
 * of apspd, which wrote no marker. `other` is apspd's second directory, which
 * may lie in this one. Nothing is changed. *out_marked says whether the marker
 * exists.
 *
 * APSP_EUNUSABLE: apspd is not allowed to use the directory; the message is a
 * whole sentence that says what to do. APSP_EIO.
 */
int apsp_own_directory_check(const char *path, const char *other,
	bool *out_marked, struct apsp_err *err);

/*
 * Split the name of a table file from a bundle into the revision, the hash of
 * the rule, and the id of the generation (upload). The name has the form
 * "<revision>-<hash>-<generation>.<ending>". An earlier apspd named such a file
 * without the generation; then *generation is 0. Returns false, and stores
 * nothing, if `name` has another form.
 */
bool apsp_own_directory_received(const char *name,
	char revision[APSP_HASH_SIZE], char hash[APSP_HASH_SIZE],
	uint64_t *generation);

/*
 * Mark a directory that was checked. APSP_EIO, APSP_ENOSPACE: the marker cannot
 * be written. A missing marker does no harm: the next start repeats the check.
 */
int apsp_own_directory_mark(const char *path, struct apsp_err *err);

#endif
