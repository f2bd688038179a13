/*
 * Decides whether tables can be trusted: by the checksums of blocks, which are
 * checked on first touch and by the scrub (open_tables.h), and by the mark of
 * damage. Every lookup of this room touches the blocks that it will read, reads
 * them, calls apsp_table_verify_trust(), and then answers.
 */
#ifndef APSP_STORAGE_TABLES_TABLE_VERIFY_H
#define APSP_STORAGE_TABLES_TABLE_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/tables/tables.h"

/*
 * Check the block that holds the file's byte at offset, unless an earlier call
 * has checked it. On success the block may be read. APSP_EDAMAGED.
 */
int apsp_table_verify_touch(
	struct apsp_tables *tables, uint64_t offset, struct apsp_err *err);

/* Check that no damage was found. Must be called after reading and before
   answering. APSP_EDAMAGED: the values that were read may be wrong. */
int apsp_table_verify_trust(struct apsp_tables *tables, struct apsp_err *err);

/*
 * Mark the tables damaged, report that to their watch on the first call, and
 * fail with APSP_EDAMAGED: "the tables are damaged: <what>".
 */
int apsp_table_verify_condemn(
	struct apsp_tables *tables, const char *what, struct apsp_err *err);

/*
 * Check the next block of the file, even if it was checked before. Returns 1 if
 * a block was checked, or 0 at the end of the file; the next call begins again.
 * APSP_EDAMAGED. Any thread.
 */
int apsp_table_verify_next(struct apsp_tables *tables, struct apsp_err *err);

/* Whether the tables were marked damaged. Any thread. */
bool apsp_table_verify_damaged(const struct apsp_tables *tables);

#endif
