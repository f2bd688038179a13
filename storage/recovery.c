/*
 * Bringing rows and files back to what they must be: at start, and when a table
 * file is found damaged (design.md, decisions 2, 3 and 5).
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/auto.h"
#include "storage/generations.h"
#include "storage/job_queue.h"
#include "storage/sql.h"
#include "storage/store_parts.h"

struct damage {
	struct apsp_command base;
	struct apsp_store *store;
	char revision[APSP_HASH_SIZE];
	char hash[APSP_HASH_SIZE];
};

static int damage_run(struct apsp_command *base, struct apsp_err *err)
{
	struct damage *damage = (struct damage *)base;
	APSP_AUTO(apsp_change_done) struct apsp_change change = {0};
	const struct apsp_shelf_entry *entry;
	int r;

	/* what a reader still holds may have been replaced long ago */
	entry = apsp_shelf_find(
		&damage->store->shelf, damage->revision, damage->hash);
	if (!entry || !apsp_tables_damaged(entry->tables))
		return 0;
	r = apsp_change_begin(&change, damage->store, err);
	if (r == 0)
		r = apsp_generations_lose_tables(&change, entry->id,
			damage->revision, damage->hash, err);
	if (r == 0)
		r = apsp_generations_settle(&change, err);
	if (r == 0)
		r = apsp_change_commit(&change, err);
	if (r == 0 && damage->store->hooks.tables_lost)
		damage->store->hooks.tables_lost(damage->store->hooks.ctx,
			damage->revision, damage->hash);
	return r;
}

static void damage_tell(
	void *ctx, const char *revision, const char *profile_hash)
{
	struct damage *damage = apsp_command_new(
		sizeof(*damage), damage_run, (struct apsp_done){0});

	/* without memory the tables stay marked, refuse, and go at start */
	if (!damage)
		return;
	damage->store = ctx;
	strncpy(damage->revision, revision, sizeof(damage->revision) - 1);
	strncpy(damage->hash, profile_hash, sizeof(damage->hash) - 1);
	apsp_writer_post(damage->store->writer, &damage->base);
}

struct apsp_tables_watch apsp_store_watch(struct apsp_store *store)
{
	return (struct apsp_tables_watch){.damaged = damage_tell, .ctx = store};
}

/* Open the file of a row, or forget the row where that cannot be. */
static int row_recover(struct apsp_change *change, uint64_t id,
	const char *revision, const char *hash, struct apsp_err *err)
{
	APSP_AUTO(apsp_free) char *path = NULL;
	struct apsp_tables_watch watch = apsp_store_watch(change->store);
	struct apsp_tables *tables = NULL;
	int r;

	path = apsp_store_table_path(change->store, id);
	if (!path)
		return apsp_fail(err, APSP_ENOMEM, "no memory for tables");
	r = apsp_tables_open(path, revision, hash, &watch, &tables, err);
	if (r == APSP_ENOMEM)
		return r;
	if (r < 0)
		return apsp_generations_lose_tables(
			change, id, revision, hash, err);
	r = apsp_shelf_add(
		&change->store->shelf, id, revision, hash, tables, err);
	if (r < 0)
		apsp_tables_unref(tables);
	return r;
}

/* Row after row by id: forgetting one changes the table that is read. */
static int rows_recover(struct apsp_change *change, struct apsp_err *err)
{
	char revision[APSP_HASH_SIZE], hash[APSP_HASH_SIZE];
	int64_t id = 0;
	int r;

	do {
		APSP_AUTO(apsp_sql_done) sqlite3_stmt *stmt = NULL;

		r = apsp_sql_prepare(change->db,
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
		r = row_recover(change, (uint64_t)id, revision, hash, err);
	} while (r == 0);
	return r;
}

static int graphs_touch(struct apsp_change *change, struct apsp_err *err)
{
	return apsp_change_touch_each(change,
		"SELECT DISTINCT graph FROM generations"
		" WHERE graph IS NOT NULL",
		NULL, err);
}

static bool shelf_has(const struct apsp_shelf *shelf, const char *file_name)
{
	char name[32];

	for (size_t i = 0; i < shelf->n; i++) {
		snprintf(name, sizeof(name), "%llu.apsp",
			(unsigned long long)shelf->entries[i].id);
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

/* Files whose row never came to be, or whose unlink was cut off. */
static int strays_remove(struct apsp_store *store, struct apsp_err *err)
{
	APSP_AUTO(dir_close) DIR *dir = NULL;
	struct dirent *entry;

	dir = opendir(store->tables_dir);
	if (!dir)
		return apsp_fail_errno(
			err, errno, "read '%s'", store->tables_dir);
	while ((entry = readdir(dir))) {
		size_t length = strlen(entry->d_name);

		if (length > 5 &&
			strcmp(entry->d_name + length - 5, ".apsp") == 0 &&
			!shelf_has(&store->shelf, entry->d_name))
			unlinkat(dirfd(dir), entry->d_name, 0);
	}
	return 0;
}

int apsp_store_recover(struct apsp_store *store, struct apsp_err *err)
{
	APSP_AUTO(apsp_change_done)
	struct apsp_change change = {
		.quiet = true,
		.sweep = true,
	};
	int r;

	r = apsp_change_begin(&change, store, err);
	if (r == 0)
		r = apsp_sql_run(change.db,
			"UPDATE generations SET state = 'deleting'"
			" WHERE state = 'loading'",
			NULL, err);
	if (r == 0)
		r = apsp_job_queue_revive(&change, err);
	if (r == 0)
		r = rows_recover(&change, err);
	if (r == 0)
		r = graphs_touch(&change, err);
	if (r == 0)
		r = apsp_generations_settle(&change, err);
	if (r == 0)
		r = apsp_change_commit(&change, err);
	return r < 0 ? r : strays_remove(store, err);
}
