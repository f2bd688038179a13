/*
 * Recovery when the store is opened; see recovery.h.
 */
#include "storage/recovery.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/auto.h"
#include "storage/database/sql.h"
#include "storage/jobs/generations.h"
#include "storage/jobs/job_tries.h"
#include "storage/jobs/table_care.h"
#include "storage/tables/table_name.h"

/* Open the table files of all rows. Find each row by a new query, so that no
   query is active while apsp_table_care_open() removes rows. */
static int rows_recover(struct apsp_transaction *tx, struct apsp_err *err)
{
	APSP_AUTO(apsp_sql_done) sqlite3_stmt *stmt = NULL;
	struct apsp_open_tables_entry entry = {0};
	int64_t id = 0;
	int r;

	do {
		r = apsp_sql_first(tx->db,
			"SELECT id, revision, hash, durable FROM tables WHERE "
			"id > ?1"
			" ORDER BY id LIMIT 1",
			APSP_BIND(apsp_bind_int(id)), &stmt, err);
		if (r <= 0)
			return r;
		id = sqlite3_column_int64(stmt, 0);
		/* skip a row that cannot be read: its tables cannot be used,
		   but its table file stays */
		if (apsp_sql_text(stmt, 1, entry.revision,
			    sizeof(entry.revision), NULL) < 0 ||
			apsp_sql_text(stmt, 2, entry.hash, sizeof(entry.hash),
				NULL) < 0)
			continue;
		entry.id = (uint64_t)id;
		entry.durable = sqlite3_column_int(stmt, 3) != 0;
		sqlite3_reset(stmt);
		r = apsp_table_care_open(tx, &entry, err);
	} while (r >= 0);
	return r;
}

/*
 * Remove our table files that have no row. A crash leaves such a file behind if
 * it happens after the file is made and before its row is committed, or after
 * the row is removed and before the file is unlinked. Links, files of other
 * users and files with other names stay. If the directory cannot be read,
 * nothing is removed. The daemon starts nevertheless, and /readyz reports the
 * directory.
 */
static int strays_remove(struct apsp_store *store, struct apsp_err *err)
{
	APSP_AUTO(apsp_sql_done) sqlite3_stmt *stmt = NULL;
	APSP_AUTO(apsp_dir_close) DIR *dir = NULL;
	struct dirent *entry;
	struct apsp_err why;
	struct stat st;
	int r = 0;

	dir = opendir(store->open_tables.dir);
	if (!dir) {
		apsp_fail_errno(
			&why, errno, "read '%s'", store->open_tables.dir);
		if (store->hooks.trouble)
			store->hooks.trouble(store->hooks.ctx, why.message);
		return 0;
	}
	while (r >= 0 && (entry = readdir(dir))) {
		if (!apsp_table_name_matches(entry->d_name) ||
			fstatat(dirfd(dir), entry->d_name, &st,
				AT_SYMLINK_NOFOLLOW) < 0 ||
			!S_ISREG(st.st_mode) || st.st_uid != geteuid())
			continue;
		r = apsp_sql_first(store->db,
			"SELECT 1 FROM tables WHERE id = ?1",
			APSP_BIND(apsp_bind_int(
				strtoll(entry->d_name, NULL, 10))),
			&stmt, err);
		if (r == 0)
			unlinkat(dirfd(dir), entry->d_name, 0);
	}
	return r < 0 ? r : 0;
}

int apsp_recovery_run(struct apsp_store *store, struct apsp_err *err)
{
	APSP_AUTO(apsp_transaction_done)
	struct apsp_transaction tx = {
		.quiet = true,
		.sweep = true,
	};
	int r;

	r = apsp_transaction_begin(&tx, store, err);
	if (r == 0)
		r = apsp_sql_run(tx.db,
			"UPDATE generations SET state = 'deleting'"
			" WHERE state = 'loading'",
			NULL, err);
	if (r == 0)
		r = apsp_job_tries_revive(&tx, err);
	if (r == 0)
		r = rows_recover(&tx, err);
	if (r == 0)
		r = apsp_transaction_touch_each(&tx,
			"SELECT DISTINCT graph FROM generations"
			" WHERE graph IS NOT NULL",
			NULL, err);
	if (r == 0)
		r = apsp_generations_commit(&tx, err);
	return r < 0 ? r : strays_remove(store, err);
}
