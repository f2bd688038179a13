/*
 * Removing a row that owns large chunks in rows of their own, some at a time:
 * the writer's thread has other work between two transactions.
 */
#ifndef APSP_STORAGE_DATABASE_CHUNK_SWEEP_H
#define APSP_STORAGE_DATABASE_CHUNK_SWEEP_H

#include <stdint.h>

#include <sqlite3.h>

#include "daemon/base/err.h"

/* Statements; ?1 is the owner's id. */
struct apsp_chunk_sweep {
	const char *remove_chunks; /* at most ?2 of the owner's */
	const char *find_chunk;	   /* a row if the owner has any */
	const char *remove_owner;
};

/*
 * Remove some chunks of the owner in a transaction, and its row once they are
 * gone. Returns 1, since there may be more, or fails as apsp_sql_fail() does.
 */
int apsp_chunk_sweep_step(sqlite3 *db, const struct apsp_chunk_sweep *sweep,
	int64_t owner, struct apsp_err *err);

#endif
