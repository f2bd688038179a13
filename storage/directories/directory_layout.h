/*
 * What a directory of apspd holds, by name and kind: to recognise one that an
 * apspd made which left no marker yet (storage/directories/README.md, Only what
 * is ours).
 */
#ifndef APSP_STORAGE_DIRECTORIES_DIRECTORY_LAYOUT_H
#define APSP_STORAGE_DIRECTORIES_DIRECTORY_LAYOUT_H

#include <stdbool.h>

#include "daemon/base/err.h"

#define APSP_DIRECTORY_DATABASE "apspd.sqlite"
#define APSP_DIRECTORY_TABLES "tables"
#define APSP_DIRECTORY_JOBS "jobs"

enum apsp_directory_layout {
	APSP_DIRECTORY_EMPTY,
	APSP_DIRECTORY_OURS,
	APSP_DIRECTORY_FOREIGN,
};

/*
 * Look at all that lies in the directory fd, and into its jobs/ and tables/;
 * change nothing. The directory at `other` (absent is fine) is known, too: one
 * of our two directories may lie in the other. stranger gets a name that is not
 * ours where the layout is foreign. APSP_EIO: it cannot be read.
 */
int apsp_directory_layout_read(int fd, const char *other,
	enum apsp_directory_layout *out, char stranger[256],
	struct apsp_err *err);

#endif
