/*
 * Opening table files, now or later; see table_retry.h.
 */
#include "storage/jobs/table_retry.h"

#include <inttypes.h>

#include "daemon/base/auto.h"
#include "daemon/base/clock.h"
#include "storage/jobs/generations.h"
#include "storage/jobs/served_tables.h"
#include "storage/jobs/table_damage.h"
#include "storage/tables/table_name.h"
#include "storage/tables/table_scrub.h"

enum {
	RETRY_MS = 1000,
};

static int file_open(struct apsp_store *store, uint64_t id,
	const char *revision, const char *hash, struct apsp_tables **out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_free) char *path = NULL;
	struct apsp_tables_watch watch = apsp_table_damage_watch(store);

	path = apsp_table_name_path(store->tables_dir, id);
	if (!path)
		return apsp_fail(err, APSP_ENOMEM, "no memory for tables");
	return apsp_tables_open(path, revision, hash, &watch, out, err);
}

/* Forget the row: its file is absent or damaged. */
static int row_lose(struct apsp_transaction *tx, uint64_t id,
	const char *revision, const char *hash, const struct apsp_err *why,
	struct apsp_err *err)
{
	const struct apsp_store_hooks *hooks = &tx->store->hooks;
	struct apsp_err sentence;

	apsp_fail(&sentence, APSP_EDAMAGED,
		"tables/%" PRIu64 ".apsp was lost, its tables are computed "
		"again if they are wanted: %s",
		id, why->message);
	if (hooks->trouble)
		hooks->trouble(hooks->ctx, sentence.message);
	return apsp_served_tables_lose(tx, id, revision, hash, err);
}

/* Check every block. Nobody is told of damage: the caller forgets the row. */
static int file_check(struct apsp_store *store, uint64_t id,
	const char *revision, const char *hash, struct apsp_err *err)
{
	static const struct apsp_tables_watch nobody = {0};
	APSP_AUTO(apsp_free) char *path = NULL;
	struct apsp_tables *tables = NULL;
	int r;

	path = apsp_table_name_path(store->tables_dir, id);
	if (!path)
		return apsp_fail(err, APSP_ENOMEM, "no memory for tables");
	r = apsp_tables_open(path, revision, hash, &nobody, &tables, err);
	while (r >= 0 && (r = apsp_table_scrub_next(tables, err)) > 0)
		continue;
	apsp_tables_unref(tables);
	return r;
}

int apsp_table_retry_first(struct apsp_transaction *tx, uint64_t id,
	const char *revision, const char *hash, bool durable,
	struct apsp_err *err)
{
	struct apsp_open_tables *all = &tx->store->open_tables;
	struct apsp_tables *tables = NULL;
	struct apsp_err why;
	int r;

	tx->store->unsynced |= !durable;
	r = durable ? 0 : file_check(tx->store, id, revision, hash, &why);
	if (r == 0)
		r = file_open(tx->store, id, revision, hash, &tables, &why);
	if (r == APSP_EDAMAGED)
		return row_lose(tx, id, revision, hash, &why, err);
	if (r < 0)
		return apsp_open_tables_add_closed(
			all, id, revision, hash, &why, err);
	r = apsp_open_tables_add(all, id, revision, hash, tables, err);
	if (r < 0)
		apsp_tables_unref(tables);
	return r;
}

/* Serve tables that could be opened; or forget them, where why says so. */
static int entry_change(struct apsp_store *store,
	const struct apsp_open_tables_entry *entry, struct apsp_tables *tables,
	const struct apsp_err *why)
{
	APSP_AUTO(apsp_transaction_done) struct apsp_transaction tx = {0};
	uint64_t id = entry->id;
	int r;

	r = apsp_transaction_begin(&tx, store, NULL);
	if (r == 0 && !tables)
		r = row_lose(&tx, id, entry->revision, entry->hash, why, NULL);
	if (r == 0 && tables)
		r = apsp_served_tables_touch(
			&tx, entry->revision, entry->hash, NULL);
	if (r < 0) {
		apsp_tables_unref(tables);
		return r;
	}
	if (tables) /* the commit builds snapshots, which look for them */
		apsp_open_tables_set(&store->open_tables, id, tables);
	r = apsp_generations_commit(&tx, NULL);
	if (r < 0 && tables)
		apsp_open_tables_set(&store->open_tables, id, NULL);
	return r;
}

/* Returns whether the entry changed; then entries may have moved. */
static bool entry_retry(
	struct apsp_store *store, struct apsp_open_tables_entry *entry)
{
	struct apsp_tables *tables = NULL;
	struct apsp_err why;
	int r;

	r = file_open(
		store, entry->id, entry->revision, entry->hash, &tables, &why);
	if (r == 0 || r == APSP_EDAMAGED)
		return entry_change(store, entry, tables, &why) == 0;
	return false;
}

int apsp_table_retry_run(struct apsp_store *store)
{
	struct apsp_open_tables *all = &store->open_tables;
	int64_t now = apsp_clock_ms();
	bool closed = false;
	size_t i = 0;

	if (now < store->retry_at_ms)
		return (int)(store->retry_at_ms - now);
	while (i < all->n) {
		bool again = !all->entries[i].tables;

		/* a lost entry's place is taken by the last one */
		if (again && entry_retry(store, &all->entries[i]))
			continue;
		closed |= again;
		i++;
	}
	if (!closed)
		return -1;
	store->retry_at_ms = now + RETRY_MS;
	return RETRY_MS;
}
