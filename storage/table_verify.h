/*
 * What stands behind struct apsp_tables: the mapped file, which of its blocks
 * have been checked, and the mark of damage. For storage/'s own lookups.
 *
 * Every lookup goes: touch what will be read → read → trust, then answer.
 */
#ifndef APSP_STORAGE_TABLE_VERIFY_H
#define APSP_STORAGE_TABLE_VERIFY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/base/table_file.h"
#include "storage/mapping.h"
#include "storage/tables.h"

enum {
	APSP_TABLES_ID_SIZE = 33,
};

struct apsp_tables {
	atomic_uint n_refs;
	struct apsp_mapping mapping;
	struct apsp_table_header header; /* copied, then checked */
	const uint64_t *checksums;	 /* of the blocks, in the mapping */
	uint64_t n_blocks;
	/* Bit b: block b was what was written when it was first touched. */
	atomic_uint_least64_t *checked; /* owned */
	atomic_uint_least64_t scrub_next;
	atomic_bool damaged; /* and reported */
	struct apsp_tables_watch watch;
	char id[APSP_TABLES_ID_SIZE];
};

/*
 * Check the block that holds this byte of the file if no one has touched it
 * yet. Afterwards the block may be read. APSP_EDAMAGED.
 */
int apsp_tables_touch(
	struct apsp_tables *tables, uint64_t offset, struct apsp_err *err);

/* After reading, before answering: APSP_EDAMAGED if what was read may be wrong.
 */
int apsp_tables_trust(struct apsp_tables *tables, struct apsp_err *err);

/*
 * Mark the tables damaged, report it if no one has, and fail: "the tables are
 * damaged: <what>".
 */
int apsp_tables_condemn(
	struct apsp_tables *tables, const char *what, struct apsp_err *err);

#endif
