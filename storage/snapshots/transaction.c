/*
 * Transactions; see transaction.h.
 */
#include "storage/snapshots/transaction.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/base/array.h"
#include "daemon/base/auto.h"
#include "daemon/base/fixed_text.h"
#include "storage/snapshots/database_file.h"
#include "storage/snapshots/graph_reader.h"

/* Choose whether commits wait for the disk. */
static int lazy_set(struct apsp_store *store, bool lazy, struct apsp_err *err)
{
	int r;

	if (store->writes.lazy == lazy)
		return 0;
	r = apsp_sql_script(store->db,
		lazy ? "PRAGMA synchronous = NORMAL"
		     : "PRAGMA synchronous = FULL",
		err);
	if (r == 0)
		store->writes.lazy = lazy;
	return r;
}

int apsp_transaction_begin(struct apsp_transaction *tx,
	struct apsp_store *store, struct apsp_err *err)
{
	int r;

	tx->store = store;
	tx->db = store->db;
	r = apsp_database_file_check(&store->database_file, err);
	if (r == 0)
		r = lazy_set(store, tx->lazy, err);
	if (r < 0)
		return r;
	r = apsp_sql_script(store->db, "BEGIN IMMEDIATE", err);
	if (r == 0)
		tx->open = true;
	else
		atomic_store(&store->writes.health, r);
	return r;
}

int apsp_transaction_touch(
	struct apsp_transaction *tx, const char *graph, struct apsp_err *err)
{
	struct apsp_touched *touched;
	int r;

	for (size_t i = 0; i < tx->n_touched; i++)
		if (strcmp(tx->touched[i].name, graph) == 0)
			return 0;
	r = apsp_array_reserve(&tx->touched, tx->n_touched + 1,
		&tx->touched_capacity,
		&(struct apsp_array_growth){
			sizeof(*tx->touched), 4, "a transaction", NULL},
		err);
	if (r < 0)
		return r;
	touched = &tx->touched[tx->n_touched];
	*touched = (struct apsp_touched){0};
	/* skip a graph whose name is too long: no request can name it */
	if (apsp_fixed_text_set(touched->name, sizeof(touched->name), graph))
		tx->n_touched++;
	return 0;
}

int apsp_transaction_touch_each(struct apsp_transaction *tx, const char *sql,
	const struct apsp_bind *values, struct apsp_err *err)
{
	APSP_AUTO(apsp_sql_done) sqlite3_stmt *stmt = NULL;
	char graph[APSP_NAME_SIZE];
	int r;

	r = apsp_sql_prepare(tx->db, sql, values, &stmt, err);
	while (r >= 0 && (r = apsp_sql_step(stmt, err)) > 0) {
		/* skip names that cannot be read, because no request can use
		   them */
		if (apsp_sql_text(stmt, 0, graph, sizeof(graph), NULL) == 0)
			r = apsp_transaction_touch(tx, graph, err);
	}
	return r;
}

int apsp_transaction_touch_job(struct apsp_transaction *tx, uint64_t job,
	const char *graph, struct apsp_err *err)
{
	int r = apsp_ids_add(&tx->changed_jobs, job, err);

	return r < 0 ? r : apsp_transaction_touch(tx, graph, err);
}

int apsp_transaction_collect(struct apsp_transaction *tx, const char *sql,
	const struct apsp_bind *values, struct apsp_ids *ids,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_sql_done) sqlite3_stmt *stmt = NULL;
	int r;

	r = apsp_sql_prepare(tx->db, sql, values, &stmt, err);
	while (r >= 0 && (r = apsp_sql_step(stmt, err)) > 0)
		r = apsp_ids_add(
			ids, (uint64_t)sqlite3_column_int64(stmt, 0), err);
	return r;
}

/*
 * Find the profiles of the generation `old` that are gone from `new` or have
 * another job there, and add their active jobs to tx->changed_jobs. So requests
 * that wait for such a job are resumed, even if the job goes on for another
 * profile. `new` is the same generation after the commit; NULL: it is gone.
 */
static int left_jobs_add(struct apsp_transaction *tx,
	const struct apsp_generation *old, const struct apsp_generation *new,
	struct apsp_err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < old->n_profiles; i++) {
		const struct apsp_profile_snapshot *was = &old->profiles[i],
						   *is = NULL;

		if (new)
			is = apsp_generation_profile(new, was->name);
		if (apsp_job_state_active(was->job_state) &&
			!(is && is->job == was->job))
			r = apsp_ids_add(&tx->changed_jobs, was->job, err);
	}
	return r;
}

static int snapshots_build(struct apsp_transaction *tx, struct apsp_err *err)
{
	APSP_AUTO(apsp_graph_reader_done)
	struct apsp_graph_reader reader = {
		.db = tx->db,
		.open_tables = &tx->store->open_tables,
		.fresh = tx->fresh,
		.fresh_revision = tx->fresh_revision,
	};
	int r;

	r = apsp_snapshot_map_reserve(tx->store->snapshots, tx->n_touched, err);
	for (size_t i = 0; r == 0 && i < tx->n_touched; i++) {
		APSP_AUTO(apsp_graph_snapshot_end)
		const struct apsp_graph_snapshot *old = NULL;
		struct apsp_touched *touched = &tx->touched[i];

		old = apsp_snapshot_map_get(
			tx->store->snapshots, touched->name);
		reader.old = old;
		r = apsp_graph_reader_load(
			&reader, touched->name, &touched->snapshot, err);
		for (size_t k = 0; r == 0 && old && k < old->n_live; k++)
			r = left_jobs_add(tx, &old->live[k],
				apsp_graph_snapshot_live(
					touched->snapshot, old->live[k].id),
				err);
	}
	return r;
}

static void hooks_call(const struct apsp_transaction *tx)
{
	const struct apsp_store_hooks *hooks = &tx->store->hooks;

	for (size_t i = 0; hooks->job_unwanted && i < tx->unwanted_jobs.n; i++)
		hooks->job_unwanted(hooks->ctx, tx->unwanted_jobs.ids[i]);
	/* report unwanted jobs as changed, too: otherwise a request that waits
	   for an unwanted job would wait until the solver ends */
	for (size_t i = 0; hooks->job_changed && i < tx->unwanted_jobs.n; i++)
		hooks->job_changed(hooks->ctx, tx->unwanted_jobs.ids[i]);
	for (size_t i = 0; hooks->job_changed && i < tx->changed_jobs.n; i++)
		hooks->job_changed(hooks->ctx, tx->changed_jobs.ids[i]);
	if (hooks->jobs_queued && tx->jobs_queued)
		hooks->jobs_queued(hooks->ctx);
}

/* Show the committed changes to requests. The rows have already changed, so
   this function must not fail. */
static void changes_show(struct apsp_transaction *tx)
{
	struct apsp_store *store = tx->store;

	store->writes.sweeping |= tx->sweep;
	store->writes.unsettled = true;
	atomic_fetch_add(&store->open_tables.scrub.n_damaged, tx->n_damaged);
	for (size_t i = 0; i < tx->n_touched; i++)
		apsp_snapshot_map_set(store->snapshots, tx->touched[i].name,
			APSP_TAKE(tx->touched[i].snapshot));
	/* show jobs after graphs, so that a job is shown as ended only when
	   requests can find its tables */
	apsp_active_jobs_show(&store->active, &tx->queued, &tx->running);
	if (!tx->quiet)
		hooks_call(tx);
	/* remove files last, because freeing gigabytes of disk may take a
	   second */
	for (size_t i = 0; i < tx->dropped_tables.n; i++)
		apsp_open_tables_drop(
			&store->open_tables, tx->dropped_tables.ids[i]);
}

int apsp_transaction_commit(struct apsp_transaction *tx, struct apsp_err *err)
{
	int r;

	r = apsp_transaction_collect(tx,
		"SELECT id FROM jobs WHERE state = 'queued'", NULL, &tx->queued,
		err);
	if (r == 0)
		r = apsp_transaction_collect(tx,
			"SELECT id FROM jobs WHERE state = 'running'", NULL,
			&tx->running, err);
	if (r == 0)
		r = snapshots_build(tx, err);
	if (r < 0)
		return r;
	r = apsp_sql_script(tx->db, "COMMIT", err);
	atomic_store(&tx->store->writes.health, r);
	if (r < 0)
		return r;
	tx->open = false;
	changes_show(tx);
	return 0;
}

void apsp_transaction_done(struct apsp_transaction *tx)
{
	if (tx->open) {
		int code = sqlite3_errcode(tx->db);

		if (code == SQLITE_FULL || code == SQLITE_IOERR ||
			code == SQLITE_CORRUPT)
			atomic_store(&tx->store->writes.health,
				apsp_sql_fail(tx->db, NULL));
		apsp_database_rollback(tx->db);
	}
	for (size_t i = 0; i < tx->n_touched; i++)
		apsp_graph_snapshot_unref(tx->touched[i].snapshot);
	free(tx->touched);
	free(tx->queued.ids);
	free(tx->running.ids);
	free(tx->changed_jobs.ids);
	free(tx->unwanted_jobs.ids);
	free(tx->dropped_tables.ids);
	memset(tx, 0, sizeof(*tx));
}
