/*
 * The first bytes of a database's file, and the log beside it (its -wal file).
 * They are read without SQLite, which would make files beside the database and
 * copy the log into the database. So a file that is not ours stays as it was.
 */
#ifndef APSP_STORAGE_DATABASE_DATABASE_HEADER_H
#define APSP_STORAGE_DATABASE_DATABASE_HEADER_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"

/* "apsp" in ASCII, at byte 68 of the file. */
#define APSP_APPLICATION_ID 0x61707370

struct apsp_database_header {
	bool foreign;	 /* a database of another program */
	bool has_log;	 /* a log lies beside the file; the log may have newer
			    pages */
	int64_t version; /* the user_version in the log or, if the log has none,
			    in the file */
};

/*
 * Read the header of the file at path. The version of a file that is absent or
 * empty is 0. APSP_EUNUSABLE: the file is not a database, is not a plain file,
 * or was cut short; the message is a whole sentence for the user. APSP_EIO.
 */
int apsp_database_header_read(const char *path,
	struct apsp_database_header *out, struct apsp_err *err);

/*
 * Start writing the log's pages to the disk, so that the next durable commit
 * has less to wait for. SQLite may have the log open. Closing our descriptor
 * releases none of SQLite's locks, because they are on other files. Errors are
 * ignored, because the commit will find them.
 */
void apsp_database_log_write_back(const char *path);

#endif
