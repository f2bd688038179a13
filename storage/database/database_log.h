/*
 * The log beside a database (its -wal file), read without SQLite, which would
 * make files beside it.
 */
#ifndef APSP_STORAGE_DATABASE_DATABASE_LOG_H
#define APSP_STORAGE_DATABASE_DATABASE_LOG_H

#include <stdbool.h>

#include "daemon/base/err.h"

enum {
	APSP_DATABASE_HEADER_BYTES =
		100, /* that a database's file begins with */
};

struct apsp_database_log {
	bool there; /* a log that is not empty */
	bool told;  /* it holds the first page, committed … */
	unsigned char
		header[APSP_DATABASE_HEADER_BYTES]; /* … which begins so */
};

/*
 * Read the log of the database at path, as SQLite would: up to the first frame
 * that is not whole, and of these what was committed. Blocks for a read of the
 * log. APSP_ENOMEM; APSP_EIO.
 */
int apsp_database_log_read(
	const char *path, struct apsp_database_log *out, struct apsp_err *err);

#endif
