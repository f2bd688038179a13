/*
 * Tables whose file is there and could not be opened: no permission, no
 * descriptor, a disk that fails, something else in the file's place. Nothing of
 * them is lost, so they are tried again while the daemon serves the rest
 * (storage/jobs/README.md, Life of a table set).
 */
#ifndef APSP_STORAGE_JOBS_TABLE_RETRY_H
#define APSP_STORAGE_JOBS_TABLE_RETRY_H

#include "daemon/base/err.h"

struct apsp_open_tables_entry;
struct apsp_store;
struct apsp_transaction;

/*
 * Open the tables of a row while the store opens; row has no tables yet. Those
 * that are not durable are checked whole, from the disk: a power cut or a sync
 * that failed may have taken any part. If their file is
 * absent or damaged, the row is forgotten and they are queued again; if it
 * cannot be opened, that is noted. APSP_EDB, APSP_ENOMEM.
 */
int apsp_table_retry_first(struct apsp_transaction *tx,
	const struct apsp_open_tables_entry *row, struct apsp_err *err);

/*
 * Try the closed tables again if it is time, on the writer thread. What is not
 * durable is checked whole first, as at the start, some blocks a call. Returns
 * after how many milliseconds to call again, or -1: no tables are closed.
 */
int apsp_table_retry_run(struct apsp_store *store);

#endif
