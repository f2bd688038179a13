/*
 * Records which tables each profile uses, and handles table files that cannot
 * be used. If a file is damaged or absent, its row in the database is removed,
 * and its tables are computed again. A file that exists may fail to open,
 * because of a missing permission, too few descriptors, a failing disk, or
 * another object of that name. Such a file may be undamaged, so the store tries
 * once a second to open it. Meanwhile, all other tables can be used
 * (storage/jobs/README.md, Life of a table set).
 */
#ifndef APSP_STORAGE_JOBS_TABLE_CARE_H
#define APSP_STORAGE_JOBS_TABLE_CARE_H

#include "daemon/base/err.h"
#include "storage/tables/tables.h"

struct apsp_open_tables_entry;
struct apsp_store;
struct apsp_transaction;

/* Return the watch (callbacks) with which the store opens every table file.
   When damage is found, the watch makes the writer thread remove the file's row
   from the database. */
struct apsp_tables_watch apsp_table_care_watch(struct apsp_store *store);

/*
 * Called while the store is being opened. Opens the tables of `row`, whose
 * member `tables` is NULL. If the tables are not durable, every block is read
 * from the disk and checked: a power cut or a failed sync may have lost any
 * part of the file. If the file is absent or damaged, its row in the database
 * is removed, and a job for the tables is queued. If the file exists but cannot
 * be opened, the file's entry in the list of open tables keeps the reason.
 * APSP_EDB, APSP_ENOMEM.
 */
int apsp_table_care_open(struct apsp_transaction *tx,
	const struct apsp_open_tables_entry *row, struct apsp_err *err);

/*
 * Remove the database rows of damaged tables that could not be removed before.
 * Once a second, try again to open the table files that could not be opened. If
 * the tables of such a file are not durable, requests can use them only after
 * all of their blocks were checked. Each call checks some blocks. Called on the
 * writer thread. Returns the milliseconds until the next call, or -1 if all
 * table files are open.
 */
int apsp_table_care_run(struct apsp_store *store);

/* Call this when new tables exist, inside a transaction on the writer thread.
   The tables were computed from the upload with the revision `revision`, by the
   rule with the hash `hash`. Every profile that needs these tables uses them
   from now on, and queued jobs for these tables end as succeeded. APSP_EDB,
   APSP_ESTATEFULL, APSP_ENOMEM. */
int apsp_table_care_serve(struct apsp_transaction *tx, const char *revision,
	const char *hash, struct apsp_err *err);

#endif
