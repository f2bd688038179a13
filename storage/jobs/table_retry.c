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
#include "storage/tables/table_seal.h"

enum {
	RETRY_MS = 1000,
	/* 32 MiB, between which the writer does other work */
	STEP_BLOCKS = 512,
};

/* afresh: what is read next comes from the disk. */
static int file_open(struct apsp_store *store,
	const struct apsp_open_tables_entry *entry,
	const struct apsp_tables_watch *watch, bool afresh,
	struct apsp_tables **out, struct apsp_err *err)
{
	APSP_AUTO(apsp_free) char *path = NULL;

	path = apsp_table_name_path(store->tables_dir, entry->id);
	if (!path)
		return apsp_fail(err, APSP_ENOMEM, "no memory for tables");
	if (afresh)
		apsp_table_seal_reread(path);
	return apsp_tables_open(
		path, entry->revision, entry->hash, watch, out, err);
}

/* Forget the row: its file is absent or damaged. */
static int row_lose(struct apsp_transaction *tx,
	const struct apsp_open_tables_entry *entry, const struct apsp_err *why,
	struct apsp_err *err)
{
	const struct apsp_store_hooks *hooks = &tx->store->hooks;
	struct apsp_err sentence;

	apsp_fail(&sentence, APSP_EDAMAGED,
		"tables/%" PRIu64 ".apsp was lost, its tables are computed "
		"again if they are wanted: %s",
		entry->id, why->message);
	if (hooks->trouble)
		hooks->trouble(hooks->ctx, sentence.message);
	return apsp_served_tables_lose(
		tx, entry->id, entry->revision, entry->hash, err);
}

/* Check every block. Nobody is told of damage: the caller forgets the row. */
static int file_check(struct apsp_store *store,
	const struct apsp_open_tables_entry *entry, struct apsp_err *err)
{
	static const struct apsp_tables_watch nobody = {0};
	struct apsp_tables *tables = NULL;
	int r = file_open(store, entry, &nobody, true, &tables, err);

	while (r >= 0 && (r = apsp_table_scrub_next(tables, err)) > 0)
		continue;
	apsp_tables_unref(tables);
	return r;
}

int apsp_table_retry_first(struct apsp_transaction *tx,
	const struct apsp_open_tables_entry *row, struct apsp_err *err)
{
	struct apsp_tables_watch watch = apsp_table_damage_watch(tx->store);
	struct apsp_open_tables_entry entry = *row;
	struct apsp_err *why = &entry.trouble;
	int r;

	r = entry.durable ? 0 : file_check(tx->store, &entry, why);
	if (r == 0)
		r = file_open(
			tx->store, &entry, &watch, false, &entry.tables, why);
	if (r == APSP_EDAMAGED)
		return row_lose(tx, &entry, why, err);
	r = apsp_open_tables_add(&tx->store->open_tables, &entry, err);
	if (r < 0)
		apsp_tables_unref(entry.tables);
	return r;
}

/* Serve tables that could be opened; or forget them, where why says so. */
static int entry_change(struct apsp_store *store,
	const struct apsp_open_tables_entry *entry, struct apsp_tables *tables,
	const struct apsp_err *why)
{
	APSP_AUTO(apsp_transaction_done) struct apsp_transaction tx = {0};
	struct apsp_open_tables *all = &store->open_tables;
	uint64_t id = entry->id;
	int r;

	r = apsp_transaction_begin(&tx, store, NULL);
	if (r == 0 && !tables)
		r = row_lose(&tx, entry, why, NULL);
	if (r == 0 && tables)
		r = apsp_served_tables_touch(
			&tx, entry->revision, entry->hash, NULL);
	if (r < 0) {
		apsp_tables_unref(tables);
		return r;
	}
	if (tables) /* the commit builds snapshots, which look for them */
		apsp_open_tables_get(all, id)->tables = tables;
	r = apsp_generations_commit(&tx, NULL);
	if (r < 0 && tables) {
		apsp_open_tables_get(all, id)->tables = NULL;
		apsp_tables_unref(tables);
	}
	return r;
}

/* What came of a try; after the first, entries may have moved. */
enum tried {
	TRIED_CHANGED,
	TRIED_CHECKING, /* more blocks are to be checked */
	TRIED_CLOSED,
};

/* As at the start: what is not durable is checked whole, here in steps. */
static int entry_check(struct apsp_store *store,
	struct apsp_open_tables_entry *entry, struct apsp_err *err)
{
	struct apsp_tables_watch watch = apsp_table_damage_watch(store);
	int r = 0;

	if (entry->durable)
		return file_open(
			store, entry, &watch, false, &entry->checking, err);
	if (!entry->checking)
		r = file_open(
			store, entry, &watch, true, &entry->checking, err);
	if (r < 0)
		return r;
	for (int i = 0; i < STEP_BLOCKS; i++) {
		r = apsp_table_scrub_next(entry->checking, err);
		if (r <= 0)
			break;
	}
	return r;
}

static enum tried entry_retry(
	struct apsp_store *store, struct apsp_open_tables_entry *entry)
{
	struct apsp_tables *tables;
	struct apsp_err why;
	int r = entry_check(store, entry, &why);

	if (r > 0)
		return TRIED_CHECKING;
	tables = APSP_TAKE(entry->checking);
	if (r < 0) {
		apsp_tables_unref(tables);
		tables = NULL;
	}
	if ((r == 0 || r == APSP_EDAMAGED) &&
		entry_change(store, entry, tables, &why) == 0)
		return TRIED_CHANGED;
	return TRIED_CLOSED;
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
		enum tried tried = TRIED_CHANGED;

		if (!all->entries[i].tables) {
			tried = entry_retry(store, &all->entries[i]);
			if (tried == TRIED_CHECKING)
				return 0;
			/* a lost entry's place is taken by the last one */
			if (tried == TRIED_CHANGED)
				continue;
		}
		closed |= tried == TRIED_CLOSED;
		i++;
	}
	if (!closed)
		return -1;
	store->retry_at_ms = now + RETRY_MS;
	return RETRY_MS;
}
