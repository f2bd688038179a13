/*
 * Makes table files durable after requests have begun to use them
 * (storage/jobs/README.md, Served first, durable behind). The row of each table
 * file in the database says whether the file is durable. A thread syncs the
 * files that are not durable, one after the other, and then records in their
 * rows that they are durable.
 */
#ifndef APSP_STORAGE_JOBS_TABLE_SYNC_H
#define APSP_STORAGE_JOBS_TABLE_SYNC_H

#include "daemon/base/err.h"

struct apsp_store;
struct apsp_table_sync;

/*
 * Start the thread that syncs table files. The writer must have been started.
 * The thread begins with the files that an earlier daemon has not synced. The
 * caller ends *out with apsp_table_sync_stop(). APSP_ENOMEM, APSP_EIO.
 */
int apsp_table_sync_start(struct apsp_store *store,
	struct apsp_table_sync **out, struct apsp_err *err);

/* Wake the thread that syncs table files, because there are tables that are not
   durable. Any thread may call this. Does not block. */
void apsp_table_sync_wake(struct apsp_table_sync *sync);

/*
 * Sync the remaining files and end the thread. Call this before the writer is
 * stopped. Syncing gigabytes takes some seconds. If the daemon's time limit for
 * stopping ends before all files are synced, some files stay unsynced. Accepts
 * NULL.
 */
void apsp_table_sync_stop(struct apsp_table_sync *sync);

#endif
