/*
 * The scrub checks all blocks of all table files, slowly and repeatedly, in
 * idle time. It finds damage in blocks that requests seldom read: a file may
 * change on the disk while it is served.
 */
#ifndef APSP_STORAGE_TABLES_TABLE_SCRUB_H
#define APSP_STORAGE_TABLES_TABLE_SCRUB_H

#include "daemon/base/err.h"
#include "storage/tables/open_tables.h"
#include "storage/tables/tables.h"

/*
 * Check the next block of one file, even if it was checked before. Returns 1 if
 * a block was checked, or 0 at the end of the file; then the next call begins
 * at the first block. APSP_EDAMAGED. Any thread may call this.
 */
int apsp_table_scrub_block(struct apsp_tables *tables, struct apsp_err *err);

/*
 * Check the next few blocks. At the end of a file, the check goes on with the
 * next file. If a block is damaged, the damage function of the file's tables is
 * called (struct apsp_tables_watch). Returns the milliseconds until the next
 * call, or -1 if no file is open.
 */
int apsp_table_scrub_step(struct apsp_open_tables *all);

#endif
