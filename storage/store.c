/*
 * Opening and closing the store, and recovery when it is opened; see store.h.
 */
#include "storage/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/limits.h"
#include "daemon/base/auto.h"
#include "storage/database/sql.h"
#include "storage/directories/directory.h"
#include "storage/directories/own_directory.h"
#include "storage/housekeeping.h"
#include "storage/jobs/cache_limit.h"
#include "storage/jobs/generations.h"
#include "storage/jobs/job_part.h"
#include "storage/jobs/job_tries.h"
#include "storage/jobs/received_tables.h"
#include "storage/jobs/table_care.h"
#include "storage/jobs/table_sync.h"
#include "storage/rows/row_cache.h"
#include "storage/search/adjacency_cache.h"
#include "storage/snapshots/database_file.h"
#include "storage/snapshots/store_core.h"
#include "storage/tables/table_name.h"

enum {
	/* a lock is tried again for half a second, because `apspd --check`
	   locks a directory for a moment */
	LOCK_TRIES = 50,
	LOCK_PAUSE_MS = 10,
};

/* The whole store. Other files use only its first member. */
struct whole {
	struct apsp_store core;
	struct apsp_job_part jobs;
	char *state_dir;
	int state_lock; /* descriptor of the lock of the state directory; -1:
			   not locked */
	int cache_lock; /* descriptor of the lock of the cache directory; -1:
			   not locked, or the cache directory is also the state
			   directory */
	struct apsp_store_parts parts;
};

static struct whole *whole_of(const struct apsp_store *store)
{
	return (struct whole *)(uintptr_t)store;
}

static void whole_close(struct whole *whole)
{
	struct apsp_store *core;

	if (!whole)
		return;
	core = &whole->core;
	apsp_table_sync_stop(whole->jobs.table_sync);
	apsp_writer_stop(core->writer);
	apsp_snapshot_map_free(core->snapshots);
	apsp_active_jobs_done(&core->active);
	apsp_held_uploads_done(&core->held);
	apsp_open_tables_done(&core->open_tables);
	/* free the row cache after all tables are closed, because closing
	   tables calls the cache, which frees their rows */
	apsp_row_cache_free(whole->parts.rows);
	apsp_readers_free(core->readers);
	apsp_database_close(&core->db);
	free(core->database_file.path);
	apsp_budget_free(whole->parts.uploads);
	apsp_budget_free(whole->parts.answers);
	apsp_adjacency_cache_free(whole->parts.adjacencies);
	apsp_close(&whole->cache_lock);
	apsp_close(&whole->state_lock);
	free(whole->state_dir);
	free(whole->jobs.cache_dir);
	free(whole->jobs.received_dir);
	free(whole);
}
APSP_AUTO_DEFINE(whole_end, struct whole, whole_close);

/* Return the machine's memory in bytes, divided by `part`. */
static uint64_t memory_part(uint32_t part)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
	/* if the size is unknown, we assume a small machine */
	uint64_t bytes = UINT64_C(8) << 30;

	if (pages > 0 && size > 0)
		bytes = (uint64_t)pages * (uint64_t)size;
	return bytes / part;
}

static struct apsp_budget_limits upload_limits(void)
{
	const struct apsp_limits *limits = &apsp_default_limits;
	uint64_t bytes = memory_part(limits->uploads_memory_part);
	uint64_t one;

	if (bytes < limits->max_uploads_memory_bytes)
		bytes = limits->max_uploads_memory_bytes;
	one = bytes / 4 * 3;
	if (one > limits->max_upload_memory_bytes)
		one = limits->max_upload_memory_bytes;
	return (struct apsp_budget_limits){
		.who = "upload",
		.max_shares = limits->max_uploads,
		.max_memory_bytes = bytes,
		.max_one_memory_bytes = one,
		.set_by = "(upload_memory_bytes in /v1/info)",
		.spare_disk_bytes = APSP_SPARE_DISK_BYTES,
	};
}

/* Return `setting`, a number of bytes. If it is 0, the user has not set it:
   then return the machine's memory divided by `part`. */
static uint64_t memory_of(uint64_t setting, uint32_t part)
{
	return setting > 0 ? setting : memory_part(part);
}

static struct apsp_budget_limits answer_limits(
	const struct apsp_settings *settings)
{
	const struct apsp_limits *limits = &apsp_default_limits;
	uint64_t bytes = settings->answer_memory;

	if (bytes == 0)
		bytes = memory_part(limits->answers_memory_part);
	if (settings->answer_memory == 0 &&
		bytes > limits->max_answers_memory_bytes)
		bytes = limits->max_answers_memory_bytes;
	return (struct apsp_budget_limits){
		.who = "answer",
		.too_large = APSP_ESEARCH,
		.max_shares = UINT32_MAX,
		.max_memory_bytes = bytes,
		.max_one_memory_bytes = bytes / 2,
		.set_by = "(half of --answer-memory)",
	};
}

/*
 * Lock a directory until the descriptor *out is closed. Every daemon locks its
 * directories before it uses them, so no other daemon uses this directory
 * meanwhile. The message of a failure is a whole sentence for the user.
 */
static int directory_lock(const char *path, int *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_close) int fd = -1;
	int tries = 0;

	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return apsp_fail_errno(
			err, errno, "cannot open the directory '%s'", path);
	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK)
			return apsp_fail_errno(
				err, errno, "cannot lock '%s'", path);
		if (++tries == LOCK_TRIES)
			return apsp_fail(err, APSP_EIO,
				"another apspd is using '%s'; stop it or "
				"choose other directories",
				path);
		poll(NULL, 0, LOCK_PAUSE_MS);
	}
	*out = APSP_TAKE_FD(fd);
	return 0;
}

static int directories_lock(struct whole *whole, struct apsp_err *err)
{
	const char *cache_dir = whole->jobs.cache_dir;
	struct stat st, state, cache;
	bool marked;
	int r;

	/* check both directories before changing anything, so that a mistyped
	   option changes nothing */
	r = apsp_own_directory_check(cache_dir, whole->state_dir, &marked, err);
	if (r == 0)
		r = apsp_own_directory_check(
			whole->state_dir, cache_dir, &marked, err);
	/* a directory is marked only after its database has a page. So if a
	   marked directory has an empty database, the database is damaged */
	if (r == 0 && marked &&
		stat(whole->core.database_file.path, &st) == 0 &&
		st.st_size == 0)
		r = apsp_fail(err, APSP_EUNUSABLE,
			"'%s' is empty: put a copy in its place, or remove it "
			"to begin anew",
			whole->core.database_file.path);
	if (r == 0)
		r = apsp_directory_make(whole->state_dir, err);
	if (r == 0)
		r = apsp_directory_make(cache_dir, err);
	if (r == 0)
		r = directory_lock(whole->state_dir, &whole->state_lock, err);
	if (r < 0)
		return r;
	/* lock the cache directory, unless it is also the state directory: a
	   second lock of one directory would fail */
	if (stat(whole->state_dir, &state) < 0 || stat(cache_dir, &cache) < 0 ||
		state.st_dev != cache.st_dev || state.st_ino != cache.st_ino)
		r = directory_lock(cache_dir, &whole->cache_lock, err);
	return r;
}

/* Make the parts of the store that exist only in memory. */
static int parts_make(struct whole *whole,
	const struct apsp_store_config *config, struct apsp_err *err)
{
	const struct apsp_settings *settings = config->settings;
	const struct apsp_budget_limits uploads =
		config->upload_limits ? *config->upload_limits
				      : upload_limits();
	const struct apsp_budget_limits answers =
		config->answer_limits ? *config->answer_limits
				      : answer_limits(settings);
	const struct apsp_row_cache_config rows = {
		.limit_bytes = memory_of(settings->row_cache,
			apsp_default_limits.rows_memory_part),
		.max_wanted = apsp_default_limits.max_wanted_rows,
		.changed = config->hooks.rows_changed,
		.ctx = config->hooks.ctx};
	int r;

	whole->jobs.max_queued = config->max_queued_jobs;
	whole->core.open_tables.grace_ms =
		config->reader_grace_ms > 0 ? config->reader_grace_ms
					    : APSP_DROPPED_TABLES_GRACE_MS;
	whole->core.open_tables.held_grace_ms = APSP_HELD_TABLES_GRACE_MS;
	whole->core.hooks = config->hooks;
	whole->state_dir = strdup(settings->state_dir);
	whole->jobs.cache_dir = strdup(settings->cache_dir);
	whole->parts.spool_dir = whole->state_dir;
	if (asprintf(&whole->core.open_tables.dir, "%s/" APSP_DIRECTORY_TABLES,
		    settings->cache_dir) < 0)
		whole->core.open_tables.dir = NULL;
	if (asprintf(&whole->jobs.received_dir, "%s/" APSP_DIRECTORY_RECEIVED,
		    settings->cache_dir) < 0)
		whole->jobs.received_dir = NULL;
	whole->parts.received_dir = whole->jobs.received_dir;
	if (asprintf(&whole->core.database_file.path,
		    "%s/" APSP_DIRECTORY_DATABASE, settings->state_dir) < 0)
		whole->core.database_file.path = NULL;
	if (!whole->state_dir || !whole->jobs.cache_dir ||
		!whole->jobs.received_dir || !whole->core.open_tables.dir ||
		!whole->core.database_file.path)
		return apsp_fail(err, APSP_ENOMEM, "no memory for the store");
	r = apsp_budget_new(
		whole->state_dir, &uploads, &whole->parts.uploads, err);
	if (r == 0)
		r = apsp_budget_new(NULL, &answers, &whole->parts.answers, err);
	if (r == 0)
		r = apsp_adjacency_cache_new(
			memory_of(settings->arc_memory,
				apsp_default_limits.arcs_memory_part),
			&whole->parts.adjacencies, err);
	if (r == 0)
		r = apsp_row_cache_new(&rows, &whole->parts.rows, err);
	if (r == 0)
		r = apsp_snapshot_map_new(
			&whole->core.hooks, &whole->core.snapshots, err);
	if (r == 0)
		whole->parts.graphs = whole->core.snapshots;
	return r;
}

/* Open the database and its readers, and mark the directories as apspd's. */
static int database_open(struct whole *whole, struct apsp_err *err)
{
	const struct apsp_store_hooks *hooks = &whole->core.hooks;
	const char *const dirs[] = {whole->state_dir, whole->jobs.cache_dir};
	struct apsp_err why;
	int r = apsp_database_open(
		whole->core.database_file.path, &whole->core.db, err);

	if (r == 0)
		r = apsp_directory_sync(whole->state_dir, err);
	if (r == 0)
		r = apsp_database_file_note(&whole->core.database_file, err);
	/* If the cache directory cannot be written, it stays unmarked, and
	   /readyz reports the failure. The tables in it can be used
	   nevertheless. */
	for (size_t i = 0; r == 0 && i < 2; i++)
		if (apsp_own_directory_mark(dirs[i], &why) < 0 &&
			hooks->trouble)
			hooks->trouble(hooks->ctx, why.message);
	if (r == 0)
		r = apsp_directory_make(whole->core.open_tables.dir, err);
	if (r == 0)
		apsp_received_tables_prepare(whole->jobs.received_dir);
	if (r == 0)
		r = apsp_readers_new(whole->core.database_file.path,
			&whole->core.readers, err);
	return r;
}

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
 * Remove our table files that have no row in the database. A crash leaves such
 * a file behind if it happens after the file is made and before its row is
 * committed, or after the row is removed and before the file is unlinked.
 * Links, files of other users and files with other names stay. If the directory
 * cannot be read, nothing is removed. The daemon starts nevertheless, and
 * /readyz reports the directory.
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

/*
 * Repair the rows and files that a crash left inconsistent, before requests are
 * answered: mark for deletion the uploads that were not stored completely,
 * queue again the jobs that were running or found too little space or no device
 * (job_tries.h), open the table file of each row of the database's table
 * `tables` (table_care.h), and remove table files that have no row. Build the
 * snapshots. The writer has not started yet.
 */
static int recover(struct apsp_store *store, struct apsp_err *err)
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
		r = apsp_job_tries_renew(&tx, err);
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

int apsp_store_open(const struct apsp_store_config *config,
	struct apsp_store **out, struct apsp_err *err)
{
	APSP_AUTO(whole_end) struct whole *whole = NULL;
	struct apsp_writer_config writer = {
		.background = apsp_housekeeping_run,
		.beat_ms = config->beat_ms,
	};
	int r;

	whole = calloc(1, sizeof(*whole));
	if (!whole)
		return apsp_fail(err, APSP_ENOMEM, "no memory for the store");
	whole->state_lock = -1;
	whole->cache_lock = -1;
	whole->core.jobs = &whole->jobs;
	apsp_active_jobs_init(&whole->core.active);
	apsp_held_uploads_init(&whole->core.held);
	whole->parts.held = &whole->core.held;
	whole->parts.tables = &whole->core.open_tables;
	r = parts_make(whole, config, err);
	if (r == 0)
		r = directories_lock(whole, err);
	if (r == 0)
		r = database_open(whole, err);
	if (r == 0)
		r = recover(&whole->core, err);
	if (r == 0)
		r = apsp_cache_limit_set(
			&whole->core, config->settings->cache_limit, err);
	writer.ctx = &whole->core;
	if (r == 0)
		r = apsp_writer_start(&writer, &whole->core.writer, err);
	whole->parts.writer = whole->core.writer;
	if (r == 0)
		r = apsp_table_sync_start(
			&whole->core, &whole->jobs.table_sync, err);
	if (r == 0)
		*out = &APSP_TAKE(whole)->core;
	return r;
}

void apsp_store_close(struct apsp_store *store)
{
	whole_close(whole_of(store));
}

const struct apsp_store_parts *apsp_store_parts(const struct apsp_store *store)
{
	return &whole_of(store)->parts;
}

int apsp_store_check(struct apsp_store *store, struct apsp_err *err)
{
	int health = atomic_load(&store->writes.health);
	int r = apsp_database_file_check(&store->database_file, err);

	if (r < 0)
		return r;
	if (health == APSP_ESTATEFULL)
		return apsp_sql_full(err);
	if (health < 0)
		return apsp_fail(err, (enum apsp_code)health,
			"the last write to the database failed");
	return 0;
}

int apsp_store_check_cache(const struct apsp_store *store, struct apsp_err *err)
{
	if (access(store->jobs->cache_dir, W_OK | X_OK) < 0)
		return apsp_fail_errno(
			err, errno, "write to '%s'", store->jobs->cache_dir);
	if (access(store->open_tables.dir, R_OK | W_OK | X_OK) < 0 &&
		errno != ENOENT)
		return apsp_fail_errno(
			err, errno, "use '%s'", store->open_tables.dir);
	return 0;
}
