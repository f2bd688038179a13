/*
 * Repairs the rows and files that a crash left inconsistent, before requests
 * are answered.
 */
#ifndef APSP_STORAGE_RECOVERY_H
#define APSP_STORAGE_RECOVERY_H

#include "daemon/base/err.h"

struct apsp_store;

/*
 * Mark for deletion the uploads that were not stored completely. Queue again
 * the jobs that were running. Open the table file of each row of the database's
 * table `tables` (table_care.h), and remove table files that have no row. Build
 * the snapshots. Runs on the thread that opens the store, before the writer
 * starts. APSP_EDB, APSP_EIO, APSP_ESTATEFULL, APSP_ENOMEM.
 */
int apsp_recovery_run(struct apsp_store *store, struct apsp_err *err);

#endif
