/*
 * The log beside a database (its -wal file), read without SQLite, which would
 * make files beside it.
 */
#ifndef APSP_STORAGE_DATABASE_DATABASE_LOG_H
#define APSP_STORAGE_DATABASE_DATABASE_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"

enum {
	/* at the beginning of a database's file */
	APSP_DATABASE_HEADER_BYTES = 100,
};

struct apsp_database_log {
	bool there; /* the log exists and is not empty */
	bool told;  /* the log holds a committed first page … */
	unsigned char header[APSP_DATABASE_HEADER_BYTES]; /* … and these are its
							     first bytes */
};

/* A 32-bit number in SQLite's files, which are big-endian. */
static inline uint32_t apsp_database_number(const unsigned char *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 |
	       (uint32_t)bytes[2] << 8 | bytes[3];
}

/*
 * Read the log of the database at path as SQLite would: committed frames, up to
 * the first frame that is not whole. Blocks while the log is read. APSP_ENOMEM;
 * APSP_EIO.
 */
int apsp_database_log_read(
	const char *path, struct apsp_database_log *out, struct apsp_err *err);

/*
 * Start writing the log's pages to the disk, so that the next durable commit
 * has less to wait for. SQLite may have the log open; it holds no lock on this
 * file, so closing our descriptor releases none. Errors are ignored, because
 * the commit will find them.
 */
void apsp_database_log_write_back(const char *path);

#endif
