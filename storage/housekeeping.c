/*
 * Background work of the writer; see housekeeping.h.
 */
#include "storage/housekeeping.h"

#include "daemon/base/clock.h"
#include "storage/attributes/attribute_rows.h"
#include "storage/database/sql.h"
#include "storage/jobs/generations.h"
#include "storage/jobs/old_jobs.h"
#include "storage/jobs/table_damage.h"
#include "storage/jobs/table_retry.h"
#include "storage/tables/table_scrub.h"

enum {
	PAUSE_MS = 100, /* while an upload is being stored */
	TROUBLE_MS = 1000,
	UNSETTLED_MS = 1000,
	VACUUM_PAGES = 1024, /* given back at a time */
};

/* Give free pages back to the disk. Returns 1 if more are left, else 0. */
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

/* Copy the log into the database. Returns whether no part of it is left. */
static bool log_fold(sqlite3 *db)
{
	int n = 0, n_folded = 0;
	int r = sqlite3_wal_checkpoint_v2(
		db, NULL, SQLITE_CHECKPOINT_PASSIVE, &n, &n_folded);

	return r == SQLITE_OK && n == n_folded;
}

/* Returns 1 if work is left, 0 when all is clean but for a part of the log
   (unsettled is set), or a negative code. */
static int clean(struct apsp_store *store, struct apsp_err *err)
{
	int r;

	r = apsp_old_jobs_remove(store->db, err);
	if (r == 0)
		r = pages_free(store->db, err);
	if (r != 0)
		return r;
	/* a part that readers still need, or no disk takes, waits a while */
	store->unsettled = !log_fold(store->db);
	return 0;
}

/* After a failed write: try whether the database can be written again. */
static int probe(struct apsp_store *store, struct apsp_err *err)
{
	char sql[64];
	int r;

	sqlite3_snprintf(sizeof(sql), sql, "PRAGMA user_version = %d",
		apsp_n_migrations);
	r = apsp_sql_run(store->db, sql, NULL, err);
	atomic_store(&store->health, r);
	return r;
}

static int database_tend(
	struct apsp_store *store, bool loading, struct apsp_err *err)
{
	int r = 0;

	if (atomic_load(&store->health) < 0)
		r = probe(store, err);
	if (r == 0 && store->sweeping) {
		r = apsp_generations_sweep(store->db, loading, err);
		if (r == 0 && !loading)
			r = apsp_attribute_rows_sweep(store->db, err);
		if (r > 0)
			store->unsettled = true;
		if (r == 0 && !loading)
			store->sweeping = false;
	}
	if (r == 0 && store->unsettled && !loading)
		r = clean(store, err);
	return r;
}

/* Of two waits, each of which may be -1 for none. */
static int sooner(int a, int b)
{
	if (a < 0 || b < 0)
		return a < 0 ? b : a;
	return a < b ? a : b;
}

/* Commands bring the background work forward, and not the scrub with it. */
static int scrub(struct apsp_store *store)
{
	int64_t now = apsp_clock_ms();
	int ms;

	if (now < store->scrub_at_ms)
		return (int)(store->scrub_at_ms - now);
	ms = apsp_table_scrub_run(&store->open_tables);
	store->scrub_at_ms = ms < 0 ? 0 : now + ms;
	return ms;
}

int apsp_housekeeping_run(void *ctx, bool loading)
{
	struct apsp_store *store = ctx;
	int r, again;

	r = database_tend(store, loading, NULL);
	apsp_database_fold(store->db, &store->log_pages);
	if (r < 0) {
		atomic_store(&store->health, r);
		return TROUBLE_MS;
	}
	if (r > 0)
		return 0;
	again = sooner(apsp_table_retry_run(store),
		apsp_dropped_tables_tend(&store->dropped));
	again = sooner(again, apsp_table_damage_run(store));
	if (loading)
		return PAUSE_MS;
	again = sooner(again, scrub(store));
	return store->unsettled ? sooner(again, UNSETTLED_MS) : again;
}
