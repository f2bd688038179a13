/*
 * Start-up; see recovery.h.
 */
#include "storage/recovery.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/auto.h"
#include "storage/generations.h"
#include "storage/job_queue.h"
#include "storage/database/sql.h"
#include "storage/served_tables.h"
#include "storage/table_damage.h"
#include "storage/tables/table_name.h"

/* Open the file of a row. If that fails, forget the row. */
static int row_recover(struct apsp_transaction *tx, uint64_t id,
	const char *revision, const char *hash, struct apsp_err *err)
{
	APSP_AUTO(apsp_free) char *path = NULL;
	struct apsp_tables_watch watch = apsp_table_damage_watch(tx->store);
	struct apsp_tables *tables = NULL;
	int r;

	path = apsp_table_name_path(tx->store->tables_dir, id);
	if (!path)
		return apsp_fail(err, APSP_ENOMEM, "no memory for tables");
	r = apsp_tables_open(path, revision, hash, &watch, &tables, err);
	if (r == APSP_ENOMEM)
		return r;
	if (r < 0)
		return apsp_served_tables_lose(tx, id, revision, hash, err);
	r = apsp_open_tables_add(
		&tx->store->open_tables, id, revision, hash, tables, err);
	if (r < 0)
		apsp_tables_unref(tables);
	return r;
}

/* One query a row, by id, since forgetting a row changes the read table. */
static int rows_recover(struct apsp_transaction *tx, struct apsp_err *err)
{
	char revision[APSP_HASH_SIZE], hash[APSP_HASH_SIZE];
	int64_t id = 0;
	int r;

	do {
		APSP_AUTO(apsp_sql_done) sqlite3_stmt *stmt = NULL;

		r = apsp_sql_prepare(tx->db,
			"SELECT id, revision, hash FROM tables WHERE id > ?1"
			" ORDER BY id LIMIT 1",
			APSP_BIND(apsp_bind_int(id)), &stmt, err);
		if (r == 0)
			r = apsp_sql_step(stmt, err);
		if (r <= 0)
			return r;
		id = sqlite3_column_int64(stmt, 0);
		apsp_sql_text(stmt, 1, revision, sizeof(revision));
		apsp_sql_text(stmt, 2, hash, sizeof(hash));
		apsp_sql_done(&stmt);
		r = row_recover(tx, (uint64_t)id, revision, hash, err);
	} while (r == 0);
	return r;
}

static int graphs_touch(struct apsp_transaction *tx, struct apsp_err *err)
{
	return apsp_transaction_touch_each(tx,
		"SELECT DISTINCT graph FROM generations"
		" WHERE graph IS NOT NULL",
		NULL, err);
}

static bool is_open(
	const struct apsp_open_tables *open_tables, const char *file_name)
{
	char name[APSP_TABLE_NAME_SIZE];

	for (size_t i = 0; i < open_tables->n; i++) {
		apsp_table_name_format(open_tables->entries[i].id, name);
		if (strcmp(name, file_name) == 0)
			return true;
	}
	return false;
}

static void dir_close(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

/* Remove files without a row: a crash came before the row or the unlink. */
static int strays_remove(struct apsp_store *store, struct apsp_err *err)
{
	APSP_AUTO(dir_close) DIR *dir = NULL;
	struct dirent *entry;

	dir = opendir(store->tables_dir);
	if (!dir)
		return apsp_fail_errno(
			err, errno, "read '%s'", store->tables_dir);
	while ((entry = readdir(dir)))
		if (apsp_table_name_matches(entry->d_name) &&
			!is_open(&store->open_tables, entry->d_name))
			unlinkat(dirfd(dir), entry->d_name, 0);
	return 0;
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
		r = apsp_job_queue_revive(&tx, err);
	if (r == 0)
		r = rows_recover(&tx, err);
	if (r == 0)
		r = graphs_touch(&tx, err);
	if (r == 0)
		r = apsp_generations_commit(&tx, err);
	return r < 0 ? r : strays_remove(store, err);
}
