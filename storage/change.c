/*
 * Changes; see change.h.
 */
#include "storage/change.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/auto.h"

int apsp_ids_add(struct apsp_ids *ids, uint64_t id, struct apsp_err *err)
{
	uint64_t *larger;

	if (ids->n == ids->capacity) {
		size_t capacity = ids->capacity ? ids->capacity * 2 : 8;

		larger = reallocarray(ids->ids, capacity, sizeof(*larger));
		if (!larger)
			return apsp_fail(
				err, APSP_ENOMEM, "no memory for a change");
		ids->ids = larger;
		ids->capacity = capacity;
	}
	ids->ids[ids->n++] = id;
	return 0;
}

int apsp_change_begin(struct apsp_change *change, struct apsp_store *store,
	struct apsp_err *err)
{
	int r;

	change->store = store;
	change->db = store->db;
	r = apsp_database_begin(store->db, err);
	if (r == 0)
		change->open = true;
	else
		atomic_store(&store->health, r);
	return r;
}

int apsp_change_touch(
	struct apsp_change *change, const char *graph, struct apsp_err *err)
{
	struct apsp_touched *larger;

	for (size_t i = 0; i < change->n_touched; i++)
		if (strcmp(change->touched[i].name, graph) == 0)
			return 0;
	if (change->n_touched == change->touched_capacity) {
		size_t capacity = change->touched_capacity * 2 + 4;

		larger = reallocarray(
			change->touched, capacity, sizeof(*larger));
		if (!larger)
			return apsp_fail(
				err, APSP_ENOMEM, "no memory for a change");
		change->touched = larger;
		change->touched_capacity = capacity;
	}
	larger = &change->touched[change->n_touched++];
	memset(larger, 0, sizeof(*larger));
	strncpy(larger->name, graph, sizeof(larger->name) - 1);
	return 0;
}

int apsp_change_touch_each(struct apsp_change *change, const char *sql,
	const struct apsp_bind *values, struct apsp_err *err)
{
	APSP_AUTO(apsp_sql_done) sqlite3_stmt *stmt = NULL;
	char graph[APSP_NAME_SIZE];
	int r;

	r = apsp_sql_prepare(change->db, sql, values, &stmt, err);
	while (r >= 0 && (r = apsp_sql_step(stmt, err)) > 0) {
		apsp_sql_text(stmt, 0, graph, sizeof(graph));
		r = apsp_change_touch(change, graph, err);
	}
	return r;
}

APSP_AUTO_DEFINE(
	view_unref, const struct apsp_graph_view, apsp_graph_view_unref);

static int views_build(struct apsp_change *change, struct apsp_err *err)
{
	struct apsp_store *store = change->store;
	int r;

	r = apsp_registry_reserve(store->registry, change->n_touched, err);
	for (size_t i = 0; r == 0 && i < change->n_touched; i++) {
		APSP_AUTO(view_unref) const struct apsp_graph_view *old = NULL;
		struct apsp_touched *touched = &change->touched[i];
		struct apsp_view_sources sources = {
			.fresh = change->fresh,
			.fresh_revision = change->fresh_revision,
		};

		old = apsp_registry_get(store->registry, touched->name);
		sources.old = old;
		r = apsp_view_load(change->db, &store->shelf, touched->name,
			&sources, &touched->view, err);
	}
	return r;
}

/* The rows are committed: from here on nothing can fail. */
static void change_show(struct apsp_change *change, int64_t n_queued)
{
	struct apsp_store *store = change->store;
	const struct apsp_store_hooks *hooks = &store->hooks;

	atomic_store(&store->n_queued_jobs, (unsigned int)n_queued);
	store->sweeping |= change->sweep;
	store->unsettled = true;
	for (size_t i = 0; i < change->n_touched; i++)
		apsp_registry_set(store->registry, change->touched[i].name,
			APSP_TAKE(change->touched[i].view));
	for (size_t i = 0; i < change->dropped_tables.n; i++) {
		APSP_AUTO(apsp_free) char *path = NULL;

		apsp_shelf_remove(&store->shelf, change->dropped_tables.ids[i]);
		path = apsp_store_table_path(
			store, change->dropped_tables.ids[i]);
		if (path)
			unlink(path); /* what stays is removed at start */
	}
	if (change->quiet)
		return;
	for (size_t i = 0; hooks->job_unwanted && i < change->unwanted_jobs.n;
		i++)
		hooks->job_unwanted(hooks->ctx, change->unwanted_jobs.ids[i]);
	for (size_t i = 0; hooks->job_changed && i < change->changed_jobs.n;
		i++)
		hooks->job_changed(hooks->ctx, change->changed_jobs.ids[i]);
	if (hooks->jobs_queued && change->jobs_queued)
		hooks->jobs_queued(hooks->ctx);
}

int apsp_change_commit(struct apsp_change *change, struct apsp_err *err)
{
	int64_t n_queued = 0;
	int r;

	r = apsp_sql_int(change->db,
		"SELECT count(*) FROM jobs WHERE state = 'queued'", NULL,
		&n_queued, err);
	if (r >= 0)
		r = views_build(change, err);
	if (r >= 0) {
		r = apsp_database_commit(change->db, err);
		atomic_store(&change->store->health, r);
	}
	if (r < 0)
		return r;
	change->open = false;
	change_show(change, n_queued);
	return 0;
}

void apsp_change_done(struct apsp_change *change)
{
	if (change->open) {
		int code = sqlite3_errcode(change->db);

		if (code == SQLITE_FULL || code == SQLITE_IOERR ||
			code == SQLITE_CORRUPT)
			atomic_store(&change->store->health,
				apsp_sql_fail(change->db, NULL));
		apsp_database_rollback(change->db);
	}
	for (size_t i = 0; i < change->n_touched; i++)
		apsp_graph_view_unref(change->touched[i].view);
	free(change->touched);
	free(change->changed_jobs.ids);
	free(change->unwanted_jobs.ids);
	free(change->dropped_tables.ids);
	memset(change, 0, sizeof(*change));
}
