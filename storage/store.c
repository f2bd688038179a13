/*
 * Opening and closing the store; see store.h.
 */
#include "storage/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/auto.h"
#include "storage/directories/directory.h"
#include "storage/directories/directory_layout.h"
#include "storage/directories/own_directory.h"
#include "storage/housekeeping.h"
#include "storage/jobs/disk_space.h"
#include "storage/jobs/table_sync.h"
#include "storage/recovery.h"
#include "storage/search/adjacency_cache.h"
#include "storage/snapshots/database_file.h"
#include "storage/snapshots/store_internal.h"

APSP_AUTO_DEFINE(store_close, struct apsp_store, apsp_store_close);

enum {
	ANSWERS_PART = 16,	 /* of the machine's memory … */
	ANSWERS_MAX = 512 << 20, /* … and no more than this */
};

const struct apsp_budget_limits apsp_store_upload_limits = {
	.who = "upload",
	.max_shares = 16,
	.max_memory_bytes = (uint64_t)256 << 20,
	.max_one_memory_bytes = (uint64_t)128 << 20,
	.spare_disk_bytes = (uint64_t)64 << 20,
};

static struct apsp_budget_limits answer_limits(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
	uint64_t bytes = ANSWERS_MAX;

	if (pages > 0 && size > 0 &&
		bytes > (uint64_t)pages * (uint64_t)size / ANSWERS_PART)
		bytes = (uint64_t)pages * (uint64_t)size / ANSWERS_PART;
	return (struct apsp_budget_limits){
		.who = "answer",
		.too_large = APSP_ESEARCH,
		.max_shares = UINT32_MAX,
		.max_memory_bytes = bytes,
		.max_one_memory_bytes = bytes / 2,
	};
}

static int texts_fill(struct apsp_store *store,
	const struct apsp_settings *settings, struct apsp_err *err)
{
	store->state_dir = strdup(settings->state_dir);
	store->cache_dir = strdup(settings->cache_dir);
	if (asprintf(&store->tables_dir, "%s/" APSP_DIRECTORY_TABLES,
		    settings->cache_dir) < 0)
		store->tables_dir = NULL;
	if (asprintf(&store->database_path, "%s/" APSP_DIRECTORY_DATABASE,
		    settings->state_dir) < 0)
		store->database_path = NULL;
	if (!store->state_dir || !store->cache_dir || !store->tables_dir ||
		!store->database_path)
		return apsp_fail(err, APSP_ENOMEM, "no memory for the store");
	return 0;
}

/*
 * Both are looked at before anything is changed, so that a mistyped option
 * changes nothing.
 */
static int directories_check(struct apsp_store *store, struct apsp_err *err)
{
	bool marked;
	struct stat st;
	int r;

	r = apsp_own_directory_check(
		store->cache_dir, store->state_dir, &marked, err);
	if (r == 0)
		r = apsp_own_directory_check(
			store->state_dir, store->cache_dir, &marked, err);
	/* the marker came after the database had its first page */
	if (r == 0 && marked && stat(store->database_path, &st) == 0 &&
		st.st_size == 0)
		r = apsp_fail(err, APSP_EUNUSABLE,
			"'%s' is empty: put a copy in its place, or remove it "
			"to begin anew",
			store->database_path);
	return r;
}

static int directories_take(struct apsp_store *store, struct apsp_err *err)
{
	struct stat state, cache;
	int r;

	r = directories_check(store, err);
	if (r == 0)
		r = apsp_directory_make(store->state_dir, err);
	if (r == 0)
		r = apsp_directory_make(store->cache_dir, err);
	if (r == 0)
		r = apsp_directory_lock(
			store->state_dir, &store->state_lock, err);
	if (r < 0)
		return r;
	/* state and cache in one directory: a second lock would fail */
	if (stat(store->state_dir, &state) < 0 ||
		stat(store->cache_dir, &cache) < 0 ||
		state.st_dev != cache.st_dev || state.st_ino != cache.st_ino)
		r = apsp_directory_lock(
			store->cache_dir, &store->cache_lock, err);
	return r;
}

/*
 * The database is ours, so the directories are. A cache that cannot be written
 * (readyz says so) keeps no marker, and its tables are served all the same.
 */
static int directories_mark(struct apsp_store *store, struct apsp_err *err)
{
	const struct apsp_store_hooks *hooks = &store->hooks;
	const char *const dirs[] = {store->state_dir, store->cache_dir};
	struct apsp_err why;

	for (size_t i = 0; i < 2; i++)
		if (apsp_own_directory_mark(dirs[i], &why) < 0 &&
			hooks->trouble)
			hooks->trouble(hooks->ctx, why.message);
	return apsp_directory_make(store->tables_dir, err);
}

/* What is in memory alone. */
static int parts_make(struct apsp_store *store,
	const struct apsp_store_config *config, struct apsp_err *err)
{
	const struct apsp_budget_limits *uploads =
		config->upload_limits ? config->upload_limits
				      : &apsp_store_upload_limits;
	const struct apsp_budget_limits answers =
		config->answer_limits ? *config->answer_limits
				      : answer_limits();
	int r;

	store->max_queued_jobs = config->max_queued_jobs;
	store->dropped.grace_ms = config->reader_grace_ms > 0
					  ? config->reader_grace_ms
					  : APSP_DROPPED_TABLES_GRACE_MS;
	store->hooks = config->hooks;
	r = texts_fill(store, config->settings, err);
	if (r == 0)
		r = apsp_budget_new(
			store->state_dir, uploads, &store->uploads, err);
	if (r == 0)
		r = apsp_budget_new(NULL, &answers, &store->answers, err);
	if (r == 0)
		r = apsp_adjacency_cache_new(0, &store->adjacencies, err);
	if (r == 0)
		r = apsp_troubles_new(&store->troubles, err);
	if (r == 0)
		r = apsp_snapshot_map_new(&store->snapshots, err);
	return r;
}

/* The database, ours and in today's format, with its readers. */
static int database_take(struct apsp_store *store, struct apsp_err *err)
{
	int r = apsp_database_open(store->database_path, &store->db, err);

	if (r == 0)
		apsp_database_fold_apart(store->db, &store->log_pages);
	if (r == 0)
		r = apsp_directory_sync(store->state_dir, err);
	if (r == 0)
		r = apsp_database_file_note(store, err);
	if (r == 0)
		r = directories_mark(store, err);
	if (r == 0)
		r = apsp_readers_new(
			store->database_path, &store->readers, err);
	return r;
}

static int threads_start(
	struct apsp_store *store, int beat_ms, struct apsp_err *err)
{
	const struct apsp_writer_config writer = {
		.ctx = store,
		.background = apsp_housekeeping_run,
		.beat_ms = beat_ms,
	};
	int r = apsp_writer_start(&writer, &store->writer, err);

	if (r == 0)
		r = apsp_table_sync_start(store, &store->table_sync, err);
	return r;
}

int apsp_store_open(const struct apsp_store_config *config,
	struct apsp_store **out, struct apsp_err *err)
{
	APSP_AUTO(store_close) struct apsp_store *store = NULL;
	int r;

	store = calloc(1, sizeof(*store));
	if (!store)
		return apsp_fail(err, APSP_ENOMEM, "no memory for the store");
	store->state_lock = -1;
	store->cache_lock = -1;
	apsp_unshown_jobs_init(&store->unshown);
	r = parts_make(store, config, err);
	if (r == 0)
		r = directories_take(store, err);
	if (r == 0)
		r = database_take(store, err);
	if (r == 0)
		r = apsp_recovery_run(store, err);
	if (r == 0)
		r = apsp_disk_space_limit(
			store, config->settings->cache_limit, err);
	if (r == 0)
		r = threads_start(store, config->beat_ms, err);
	if (r == 0)
		*out = APSP_TAKE(store);
	return r;
}

void apsp_store_close(struct apsp_store *store)
{
	if (!store)
		return;
	apsp_table_sync_stop(store->table_sync);
	apsp_writer_stop(store->writer);
	apsp_snapshot_map_free(store->snapshots);
	apsp_troubles_free(store->troubles);
	apsp_unshown_jobs_done(&store->unshown);
	apsp_open_tables_done(&store->open_tables);
	apsp_dropped_tables_done(&store->dropped);
	apsp_readers_free(store->readers);
	apsp_database_close(&store->db);
	apsp_budget_free(store->uploads);
	apsp_budget_free(store->answers);
	apsp_adjacency_cache_free(store->adjacencies);
	apsp_close(&store->cache_lock);
	apsp_close(&store->state_lock);
	free(store->state_dir);
	free(store->cache_dir);
	free(store->tables_dir);
	free(store->database_path);
	free(store);
}

int apsp_store_alive(
	const struct apsp_store *store, int64_t limit_ms, struct apsp_err *err)
{
	return apsp_writer_alive(store->writer, limit_ms, err);
}

const char *apsp_store_spool_dir(const struct apsp_store *store)
{
	return store->state_dir;
}

size_t apsp_store_troubles(
	struct apsp_store *store, struct apsp_err *out, size_t max)
{
	return apsp_troubles_list(store->troubles, out, max);
}

struct apsp_store_scrub apsp_store_scrubbed(const struct apsp_store *store)
{
	const struct apsp_scrub_counts *counts = &store->open_tables.scrub;

	return (struct apsp_store_scrub){
		.n_bytes = atomic_load(&counts->n_blocks) * APSP_TABLE_BLOCK,
		.n_passes = atomic_load(&counts->n_passes),
		.pass_ended_at_ms = atomic_load(&counts->pass_ended_at_ms),
		.n_damaged = atomic_load(&store->n_damaged),
	};
}

struct apsp_budget *apsp_store_uploads(const struct apsp_store *store)
{
	return store->uploads;
}

struct apsp_budget *apsp_store_answers(const struct apsp_store *store)
{
	return store->answers;
}

int apsp_store_check(struct apsp_store *store, struct apsp_err *err)
{
	int health = atomic_load(&store->health);
	int r = apsp_database_file_check(store, err);

	if (r < 0)
		return r;
	if (health == APSP_ENOSPACE)
		return apsp_fail(err, APSP_ENOSPACE,
			"the disk that holds the database is full");
	if (health < 0)
		return apsp_fail(err, (enum apsp_code)health,
			"the last write to the database failed");
	return 0;
}

int apsp_store_check_cache(const struct apsp_store *store, struct apsp_err *err)
{
	if (access(store->cache_dir, W_OK | X_OK) < 0)
		return apsp_fail_errno(
			err, errno, "write to '%s'", store->cache_dir);
	if (access(store->tables_dir, R_OK | W_OK | X_OK) < 0 &&
		errno != ENOENT)
		return apsp_fail_errno(
			err, errno, "use '%s'", store->tables_dir);
	return 0;
}

struct apsp_adjacency_cache *apsp_store_adjacencies(
	const struct apsp_store *store)
{
	return store->adjacencies;
}
