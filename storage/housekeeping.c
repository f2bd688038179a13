/*
 * Background work of the writer; see housekeeping.h.
 */
#include "storage/housekeeping.h"

#include "daemon/base/clock.h"
#include "storage/attributes/attribute_rows.h"
#include "storage/database/sql.h"
#include "storage/jobs/generations.h"
#include "storage/jobs/table_care.h"
#include "storage/snapshots/store_core.h"
#include "storage/tables/scrub.h"

enum {
	PAUSE_MS = 100, /* milliseconds between two calls of
			   apsp_housekeeping_run() while an upload is being
			   stored */
	TROUBLE_MS = 1000,
	UNSETTLED_MS = 1000,
	HELD_MS = 1000, /* milliseconds until the next try to remove rows that a
			   reader is using (held_uploads.h) */
	VACUUM_PAGES = 1024, /* number of database pages that one call returns
				to the filesystem */
	JOBS_KEPT = 10000,   /* number of records of ended jobs that are kept */
};

/* Remove the records of ended jobs, except the newest records and the records
   to which a profile refers. */
static int old_jobs_remove(sqlite3 *db, struct apsp_err *err)
{
	return apsp_sql_run(db,
		"DELETE FROM jobs WHERE state NOT IN ('queued', 'running')"
		" AND id <= (SELECT id FROM jobs"
		"  WHERE state NOT IN ('queued', 'running')"
		"  ORDER BY id DESC LIMIT 1 OFFSET ?1)"
		" AND NOT EXISTS (SELECT 1 FROM profiles p WHERE"
		"  p.job = jobs.id)",
		APSP_BIND(apsp_bind_int(JOBS_KEPT)), err);
}

/* Return free pages of the database to the filesystem. Returns 1 if free pages
   are left, else 0. */
static int pages_free(sqlite3 *db, struct apsp_err *err)
{
	char sql[64];
	int64_t n = 0;
	int r;

	r = apsp_sql_int(db, "PRAGMA freelist_count", NULL, &n, err);
	if (r < 0 || n == 0)
		return r < 0 ? r : 0;
	sqlite3_snprintf(sizeof(sql), sql, "PRAGMA incremental_vacuum(%d)",
		VACUUM_PAGES);
	r = apsp_sql_run(db, sql, NULL, err);
	return r < 0 ? r : n > VACUUM_PAGES;
}

/*
 * Remove the records of old jobs, return free pages of the database to the
 * filesystem, and checkpoint the write-ahead log. Returns 1 if free pages are
 * left, else 0. If the result is 0, store->writes.unsettled says whether a part
 * of the log was not checkpointed.
 */
static int clean(struct apsp_store *store, struct apsp_err *err)
{
	int n_pages = 0, n_copied = 0;
	int r;

	r = old_jobs_remove(store->db, err);
	if (r == 0)
		r = pages_free(store->db, err);
	if (r != 0)
		return r;
	/* a part of the log is not checkpointed if readers still need the log,
	   or if the disk cannot be written */
	r = sqlite3_wal_checkpoint_v2(store->db, NULL,
		SQLITE_CHECKPOINT_PASSIVE, &n_pages, &n_copied);
	store->writes.unsettled = r != SQLITE_OK || n_pages != n_copied;
	return 0;
}

static int database_tend(
	struct apsp_store *store, bool loading, struct apsp_err *err)
{
	char sql[64];
	int r = 0;

	if (atomic_load(&store->writes.health) < 0) {
		/* try to write, to find out whether the database can be written
		   again */
		sqlite3_snprintf(sizeof(sql), sql, "PRAGMA user_version = %d",
			apsp_n_migrations);
		r = apsp_sql_run(store->db, sql, NULL, err);
		atomic_store(&store->writes.health, r);
	}
	if (r == 0 && store->writes.sweeping) {
		r = apsp_generations_sweep(store, loading, err);
		if (r == 0 && !loading)
			r = apsp_attribute_rows_sweep(store->db, err);
		if (r > 0)
			store->writes.unsettled = true;
		if (r == 0 && !loading)
			store->writes.sweeping =
				apsp_held_uploads_has(&store->held, 0);
	}
	if (r == 0 && store->writes.unsettled && !loading)
		r = clean(store, err);
	return r;
}

/* Return the shorter of two waiting times in milliseconds; -1 means to wait
   forever. */
static int sooner(int a, int b)
{
	if (a < 0 || b < 0)
		return a < 0 ? b : a;
	return a < b ? a : b;
}

/* Continue the scrub (storage/tables/scrub.h) if its next step is due. Returns
   the milliseconds until a step is due. The clock decides, because housekeeping
   also runs after each command, and commands must not make the scrub faster. */
static int scrub(struct apsp_open_tables *all)
{
	int64_t now = apsp_clock_ms();
	int ms;

	if (now < all->scrub.due_ms)
		return (int)(all->scrub.due_ms - now);
	ms = apsp_scrub_run(all);
	all->scrub.due_ms = ms < 0 ? 0 : now + ms;
	return ms;
}

int apsp_housekeeping_run(void *ctx, bool loading)
{
	struct apsp_store *store = ctx;
	int r, again;

	r = database_tend(store, loading, NULL);
	if (r < 0) {
		atomic_store(&store->writes.health, r);
		return TROUBLE_MS;
	}
	if (r > 0)
		return 0;
	again = sooner(apsp_table_care_run(store),
		apsp_open_tables_tend(&store->open_tables));
	if (loading)
		return PAUSE_MS;
	again = sooner(again, scrub(&store->open_tables));
	if (store->writes.sweeping)
		again = sooner(again, HELD_MS);
	return store->writes.unsettled ? sooner(again, UNSETTLED_MS) : again;
}
