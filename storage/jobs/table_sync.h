/*
 * Tables answer as soon as they are written, and are made durable behind that
 * (storage/jobs/README.md, Served first, durable behind): a thread syncs the
 * files whose rows are not durable yet, one after the other, and then records
 * that they are.
 */
#ifndef APSP_STORAGE_JOBS_TABLE_SYNC_H
#define APSP_STORAGE_JOBS_TABLE_SYNC_H

#include "daemon/base/err.h"

struct apsp_store;
struct apsp_table_sync;

/*
 * Start the thread, which begins with what an earlier daemon left; after the
 * writer. The caller ends *out with apsp_table_sync_stop(). APSP_ENOMEM,
 * APSP_EIO.
 */
int apsp_table_sync_start(struct apsp_store *store,
	struct apsp_table_sync **out, struct apsp_err *err);

/* There are tables that are not durable. Any thread, never blocks. */
void apsp_table_sync_wake(struct apsp_table_sync *sync);

/*
 * Make durable what is not, and end the thread; before the writer. Gigabytes
 * may take some seconds, which the limit of a stop may cut. Accepts NULL.
 */
void apsp_table_sync_stop(struct apsp_table_sync *sync);

#endif
