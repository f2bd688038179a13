/*
 * Repairs the rows and files that a crash left inconsistent, before requests
 * are answered.
 */
#ifndef APSP_STORAGE_RECOVERY_H
#define APSP_STORAGE_RECOVERY_H

#include "daemon/base/err.h"

struct apsp_store;

/*
 * Mark for deletion the generations that were being loaded, queue again the
 * jobs that were running, open the table files of all rows (table_care.h),
 * remove our table files that have no row, and build the snapshots. Runs on the
 * thread that opens the store, before the writer starts. APSP_EDB, APSP_EIO,
 * APSP_ENOSPACE, APSP_ENOMEM.
 */
int apsp_recovery_run(struct apsp_store *store, struct apsp_err *err);

#endif
