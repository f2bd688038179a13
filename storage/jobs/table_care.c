/*
 * Table files that are damaged, absent or cannot be opened; see table_care.h.
 */
#include "storage/jobs/table_care.h"

#include <fcntl.h>
#include <inttypes.h>

#include "daemon/base/auto.h"
#include "daemon/base/clock.h"
#include "storage/database/sql.h"
#include "storage/jobs/generations.h"
#include "storage/jobs/job_part.h"
#include "storage/snapshots/transaction.h"
#include "storage/tables/table_name.h"
#include "storage/tables/tables.h"

/* Make the commit rebuild the snapshots of all graphs that may use the tables
   of this revision and hash. A graph may use them if it has an upload with this
   revision, and if a profile of this upload has the hash, either for its newest
   rule or for the rule of its present tables. */
static int served_touch(struct apsp_transaction *tx, const char *revision,
	const char *hash, struct apsp_err *err)
{
	return apsp_transaction_touch_each(tx,
		"SELECT DISTINCT g.graph FROM generations g JOIN profiles p"
		" ON p.generation = g.id"
		" WHERE g.revision = ?1 AND ?2 IN (p.hash, p.served_hash)",
		APSP_BIND(apsp_bind_text(revision), apsp_bind_text(hash)), err);
}

int apsp_table_care_serve(struct apsp_transaction *tx, const char *revision,
	const char *hash, struct apsp_err *err)
{
	int r;

	r = apsp_sql_run(tx->db,
		"UPDATE profiles AS p SET served_rule = rule,"
		" served_hash = hash"
		" WHERE hash = ?2 AND NOT " APSP_RULE_GIVEN_UP
		" AND generation IN"
		" (SELECT id FROM generations WHERE revision = ?1)",
		APSP_BIND(apsp_bind_text(revision), apsp_bind_text(hash)), err);
	if (r == 0)
		r = apsp_transaction_collect(tx,
			"UPDATE jobs SET state = 'succeeded',"
			" ended_at_ms = ?3, progress = 1 WHERE state = 'queued'"
			" AND revision = ?1 AND hash = ?2 RETURNING id",
			APSP_BIND(apsp_bind_text(revision),
				apsp_bind_text(hash),
				apsp_bind_int(apsp_clock_utc_ms())),
			&tx->changed_jobs, err);
	if (r == 0)
		r = served_touch(tx, revision, hash, err);
	return r;
}

/*
 * Called when the tables `id` are absent or damaged. They were computed from
 * the upload with the revision `revision`, by the rule with the hash `hash`.
 * Deletes their database row, and counts them as damaged. After that,
 * apsp_generations_settle() queues new jobs for the profiles that need these
 * tables. The queue's limit does not apply to these jobs, because no client
 * asked for them.
 */
static int served_lose(struct apsp_transaction *tx, uint64_t id,
	const char *revision, const char *hash, struct apsp_err *err)
{
	int r;

	r = served_touch(tx, revision, hash, err);
	if (r == 0)
		r = apsp_sql_run(tx->db, "DELETE FROM tables WHERE id = ?1",
			APSP_BIND(apsp_bind_id(id)), err);
	if (r == 0)
		r = apsp_ids_add(&tx->dropped_tables, id, err);
	if (r == 0)
		tx->n_damaged++;
	return r;
}

enum {
	RETRY_MS = 1000,
	/* blocks that one step checks: 32 MiB; between steps the writer does
	   other work */
	STEP_BLOCKS = 512,
};

static void report(
	const struct apsp_store *store, const struct apsp_err *sentence)
{
	if (store->hooks.trouble)
		store->hooks.trouble(store->hooks.ctx, sentence->message);
}

/*
 * Drop the file's pages from the kernel's cache, so that the next reads come
 * from the disk. After a failed write, the kernel can treat cached pages as
 * written, although the disk does not have them. Then the next fsync() would
 * succeed. Pages that are not written yet or are mapped stay in the cache.
 */
static void pages_drop(const char *path)
{
	APSP_AUTO(apsp_close) int fd = -1;

	fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0)
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}

/* Remove the database row of a table file that is absent or damaged. */
static int row_lose(struct apsp_transaction *tx,
	const struct apsp_open_tables_entry *entry, const struct apsp_err *why,
	struct apsp_err *err)
{
	struct apsp_err sentence;

	apsp_fail(&sentence, APSP_EDAMAGED,
		"tables/%" PRIu64 ".apsp was lost, its tables are computed "
		"again if a profile needs them: %s",
		entry->id, why->message);
	report(tx->store, &sentence);
	return served_lose(tx, entry->id, entry->revision, entry->hash, err);
}

static bool is_damaged(const struct apsp_open_tables_entry *entry)
{
	return entry->tables && apsp_tables_damaged(entry->tables);
}

/* Remove the database row of damaged tables, so that they are made again. */
static int damaged_lose(struct apsp_store *store,
	const struct apsp_open_tables_entry *entry, struct apsp_err *err)
{
	/* make a copy, because the commit removes the entry */
	const struct apsp_open_tables_entry lost = *entry;
	APSP_AUTO(apsp_transaction_done) struct apsp_transaction tx = {0};
	struct apsp_err sentence;
	int r;

	r = apsp_transaction_begin(&tx, store, err);
	if (r == 0)
		r = served_lose(&tx, lost.id, lost.revision, lost.hash, err);
	if (r == 0)
		r = apsp_generations_commit(&tx, err);
	if (r < 0)
		return r;
	apsp_fail(&sentence, APSP_EDAMAGED,
		"tables found damaged, computing them again revision=%s "
		"profile_hash=%s",
		lost.revision, lost.hash);
	report(store, &sentence);
	return 0;
}

struct damage {
	struct apsp_command base;
	struct apsp_store *store;
};

/* Remove the database rows of all damaged tables. Returns whether a row could
   not be removed. This failure is reported once for each table file. */
static bool all_damaged_lose(struct apsp_store *store)
{
	struct apsp_open_tables *all = &store->open_tables;
	struct apsp_err sentence, why;
	bool left = false;
	size_t i = 0;

	while (i < all->n) {
		struct apsp_open_tables_entry *entry = &all->entries[i];
		bool damaged = is_damaged(entry);

		/* do not increment i after a success: the entry is removed, and
		   a later entry has moved to index i */
		if (damaged && damaged_lose(store, entry, &why) == 0)
			continue;
		left |= damaged;
		if (damaged && !entry->loss_reported) {
			entry->loss_reported = true;
			apsp_fail(&sentence, APSP_EDAMAGED,
				"tables/%" PRIu64 ".apsp is damaged, and "
				"its row cannot be removed yet: %s",
				entry->id, why.message);
			report(store, &sentence);
		}
		i++;
	}
	return left;
}

static int damage_run(struct apsp_command *base, struct apsp_err *err)
{
	(void)err;
	all_damaged_lose(((struct damage *)base)->store);
	return 0;
}

/* Called on the thread that found damaged tables. Makes the writer thread
   remove their database row. */
static void damage_post(void *ctx)
{
	struct apsp_store *store = ctx;
	struct damage *damage;

	/* while the store is being opened, there is no writer;
	   apsp_table_care_open() or apsp_table_care_run() removes the row */
	if (!store->writer)
		return;
	damage = apsp_command_new(
		sizeof(*damage), damage_run, (struct apsp_done){0});
	/* if memory is short, do nothing: apsp_table_care_run() will find the
	   damaged tables */
	if (!damage)
		return;
	damage->store = store;
	apsp_writer_post(store->writer, &damage->base);
}

struct apsp_tables_watch apsp_table_care_watch(struct apsp_store *store)
{
	return (struct apsp_tables_watch){.damaged = damage_post, .ctx = store};
}

/*
 * Open the table file of an entry of the list of open tables. If the tables are
 * not durable, check their blocks, at most STEP_BLOCKS of them in each call.
 * Returns 1 if blocks are left to check, else 0; then requests may use
 * entry->checking.
 */
static int entry_check(struct apsp_store *store,
	struct apsp_open_tables_entry *entry, struct apsp_err *err)
{
	struct apsp_tables_watch watch = apsp_table_care_watch(store);
	APSP_AUTO(apsp_free) char *path = NULL;
	int r = 0;

	if (!entry->checking) {
		path = apsp_table_name_path(store->open_tables.dir, entry->id);
		if (!path)
			return apsp_fail(
				err, APSP_ENOMEM, "no memory for tables");
		if (!entry->durable)
			pages_drop(path);
		r = apsp_tables_open(path, entry->revision, entry->hash, &watch,
			&entry->checking, err);
	}
	if (r == 0 && !entry->durable)
		r = 1;
	for (int i = 0; i < STEP_BLOCKS && r > 0; i++)
		r = apsp_tables_scrub(entry->checking, err);
	return r;
}

int apsp_table_care_open(struct apsp_transaction *tx,
	const struct apsp_open_tables_entry *row, struct apsp_err *err)
{
	struct apsp_open_tables_entry entry = *row;
	APSP_AUTO(apsp_tables_end) struct apsp_tables *tables = NULL;
	int r;

	while ((r = entry_check(tx->store, &entry, &entry.trouble)) > 0)
		continue;
	tables = APSP_TAKE(entry.checking);
	if (r == APSP_EDAMAGED)
		return row_lose(tx, &entry, &entry.trouble, err);
	if (r == 0)
		entry.tables = apsp_tables_ref(tables);
	r = apsp_open_tables_add(&tx->store->open_tables, &entry, err);
	if (r < 0)
		apsp_tables_unref(entry.tables);
	return r;
}

/*
 * Let requests use `tables`, which were just opened for `entry`, an element of
 * the list of open tables. The entry then owns the caller's reference. If
 * `tables` is NULL, remove the entry's row for the reason `why`.
 */
static int entry_change(struct apsp_store *store,
	struct apsp_open_tables_entry *entry, struct apsp_tables *tables,
	const struct apsp_err *why)
{
	APSP_AUTO(apsp_transaction_done) struct apsp_transaction tx = {0};
	int r;

	r = apsp_transaction_begin(&tx, store, NULL);
	if (r == 0 && !tables)
		r = row_lose(&tx, entry, why, NULL);
	if (r == 0 && tables)
		r = served_touch(&tx, entry->revision, entry->hash, NULL);
	/* set entry->tables before the commit, because the commit builds
	   snapshots that refer to these tables */
	if (r == 0)
		apsp_open_tables_serve(&store->open_tables, entry, tables);
	if (r == 0)
		r = apsp_generations_commit(&tx, NULL);
	if (r < 0) {
		apsp_open_tables_serve(&store->open_tables, entry, NULL);
		apsp_tables_unref(tables);
	}
	return r;
}

/* Try again to open the tables of an entry of the list of open tables. Returns
   1 if blocks are left to check. Returns 0 if requests can use the tables, or
   if the entry is removed because its file is damaged or absent. Fails if the
   file cannot be opened. */
static int entry_retry(
	struct apsp_store *store, struct apsp_open_tables_entry *entry)
{
	struct apsp_tables *tables;
	struct apsp_err why;
	int r = entry_check(store, entry, &why);

	if (r > 0)
		return r;
	tables = APSP_TAKE(entry->checking);
	if (r < 0) {
		apsp_tables_unref(tables);
		tables = NULL;
	}
	return r == 0 || r == APSP_EDAMAGED
		       ? entry_change(store, entry, tables, &why)
		       : r;
}

int apsp_table_care_run(struct apsp_store *store)
{
	struct apsp_open_tables *all = &store->open_tables;
	int64_t now = apsp_clock_ms();
	bool due = now >= store->jobs->retry_at_ms;
	bool left = all_damaged_lose(store);
	size_t i = 0;

	while (i < all->n) {
		struct apsp_open_tables_entry *entry = &all->entries[i];
		int r = due && !entry->tables ? entry_retry(store, entry) : -1;

		if (r > 0)
			return 0;
		/* do not increment i: if the entry was removed, a later entry
		   has moved to index i */
		if (r == 0)
			continue;
		left |= !entry->tables;
		i++;
	}
	if (!left)
		return -1;
	if (due)
		store->jobs->retry_at_ms = now + RETRY_MS;
	return (int)(store->jobs->retry_at_ms - now);
}
