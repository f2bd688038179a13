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
	/* that a database's file begins with */
	APSP_DATABASE_HEADER_BYTES = 100,
};

struct apsp_database_log {
	bool there; /* a log that is not empty */
	bool told;  /* it holds the first page, committed … */
	unsigned char
		header[APSP_DATABASE_HEADER_BYTES]; /* … which begins so */
};

/* A number of 32 bits as SQLite's files have it: the highest byte first. */
static inline uint32_t apsp_database_number(const unsigned char *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 |
	       (uint32_t)bytes[2] << 8 | bytes[3];
}

/*
 * Read the log of the database at path, as SQLite would: up to the first frame
 * that is not whole, and of these what was committed. Blocks for a read of the
 * log. APSP_ENOMEM; APSP_EIO.
 */
int apsp_database_log_read(
	const char *path, struct apsp_database_log *out, struct apsp_err *err);

/*
 * Begin to write what was committed to the log to the disk, so that the next
 * durable commit waits for less. SQLite may have the log open, too: it holds no
 * lock on this file, which the closing would drop. Only a hint: what fails, the
 * commit will meet.
 */
void apsp_database_log_write_back(const char *path);

#endif
