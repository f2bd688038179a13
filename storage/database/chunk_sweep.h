/*
 * Removes a row that owns large chunks. Each chunk is a row of another table. A
 * few chunks are removed in each transaction, so that the writer's thread can
 * do other work in between.
 */
#ifndef APSP_STORAGE_DATABASE_CHUNK_SWEEP_H
#define APSP_STORAGE_DATABASE_CHUNK_SWEEP_H

#include <stdint.h>

#include <sqlite3.h>

#include "daemon/base/err.h"

/* SQL statements for one kind of owner, such as generations or sets of
   attributes. ?1 is the owner's id. */
struct apsp_chunk_sweep {
	const char *remove_chunks; /* removes at most ?2 chunks */
	/* returns a row if the owner still has a chunk */
	const char *find_chunk;
	const char *remove_owner;
};

/*
 * In one transaction, remove some of the owner's chunks. If no chunk is left,
 * also remove the owner's row. Returns 1 whether or not chunks are left: the
 * caller searches again for an owner that must be removed (perhaps the same
 * one), and calls this function until there is none. Fails as apsp_sql_fail()
 * does.
 */
int apsp_chunk_sweep_step(sqlite3 *db, const struct apsp_chunk_sweep *sweep,
	int64_t owner, struct apsp_err *err);

#endif
