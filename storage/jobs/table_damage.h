/*
 * What happens when a served table file is found damaged: it is dropped, and
 * its tables are computed again (storage/tables/README.md, Tables are files).
 */
#ifndef APSP_STORAGE_JOBS_TABLE_DAMAGE_H
#define APSP_STORAGE_JOBS_TABLE_DAMAGE_H

#include "storage/tables/table_watch.h"

struct apsp_store;

/* The watch for every table file that the store opens. */
struct apsp_tables_watch apsp_table_damage_watch(struct apsp_store *store);

/*
 * Give up damaged tables whose loss could not be recorded when it was found,
 * which was told as trouble. Returns the milliseconds until the next try, or
 * -1: none is left. For the writer thread.
 */
int apsp_table_damage_run(struct apsp_store *store);

#endif
