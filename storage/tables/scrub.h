/*
 * The scrub checks all blocks of all table files for silent damage, slowly and
 * repeatedly. A file may change on the disk while it is served, also in blocks
 * that requests seldom read. The state of the scrub is in struct apsp_scrub
 * (open_tables.h).
 */
#ifndef APSP_STORAGE_TABLES_SCRUB_H
#define APSP_STORAGE_TABLES_SCRUB_H

#include "storage/tables/open_tables.h"

/*
 * Check a few blocks more. If a block is damaged, the damage function of the
 * file's tables is called (struct apsp_tables_watch). Only the writer thread
 * may call this function. Returns the milliseconds until the next call, or -1
 * if the list has no entries.
 */
int apsp_scrub_run(struct apsp_open_tables *all);

#endif
