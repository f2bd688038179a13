/*
 * The scrub: in idle time, all blocks of all open table files are checked again
 * and again, slowly. A file may change while it is served, and most of its
 * blocks are seldom read.
 */
#ifndef APSP_STORAGE_TABLES_TABLE_SCRUB_H
#define APSP_STORAGE_TABLES_TABLE_SCRUB_H

#include "daemon/base/err.h"
#include "storage/tables/open_tables.h"

/*
 * Check the next few blocks, one file after the other. Damage is reported to
 * the tables' watch. Returns the milliseconds until the next call, or -1: no
 * file is open. For the writer thread.
 */
int apsp_table_scrub_run(struct apsp_open_tables *all);

/*
 * Check the next block of one file. Returns 1; 0 at the end of the file (the
 * next call begins again); or APSP_EDAMAGED.
 */
int apsp_table_scrub_next(struct apsp_tables *tables, struct apsp_err *err);

#endif
