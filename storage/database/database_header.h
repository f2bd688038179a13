/*
 * The first bytes of a database's file, read without SQLite, which would make
 * files beside it and fold its log into it. So a file that is not ours is
 * refused as it was.
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
	bool has_log;	 /* beside it is a log, which may hold more */
	int64_t version; /* its user_version, as the log has it */
};

/*
 * Read the header of the file at path; a file that is absent or empty has
 * version 0. APSP_EUNUSABLE: it is no database, no plain file, or was cut
 * short; the message is a whole sentence for the user. APSP_EIO.
 */
int apsp_database_header_read(const char *path,
	struct apsp_database_header *out, struct apsp_err *err);

#endif
