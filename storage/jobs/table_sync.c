/*
 * Syncing table files behind their publication; see table_sync.h.
 */
#include "storage/jobs/table_sync.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "daemon/base/auto.h"
#include "storage/database/sql.h"
#include "storage/directories/directory.h"
#include "storage/snapshots/transaction.h"
#include "storage/tables/table_name.h"
#include "storage/tables/table_seal.h"

struct apsp_table_sync {
	struct apsp_store *store; /* borrowed */
	pthread_t thread;
	pthread_mutex_t lock; /* of the next two */
	bool asked;
	bool stop;
	pthread_cond_t wake;
	/* Each file is synced once. Tables are published in order of id: what
	   failed stays as it is until the next start checks it. */
	uint64_t last;
};

/* Lies on the waiting thread's stack. */
struct record {
	struct apsp_command base;
	struct apsp_store *store;
	uint64_t id;
};

static int record_run(struct apsp_command *base, struct apsp_err *err)
{
	struct record *record = (struct record *)base;
	APSP_AUTO(apsp_transaction_done) struct apsp_transaction tx = {0};
	int r;

	r = apsp_transaction_begin(&tx, record->store, err);
	if (r == 0)
		r = apsp_sql_run(tx.db,
			"UPDATE tables SET durable = 1 WHERE id = ?1",
			APSP_BIND(apsp_bind_id(record->id)), err);
	return r < 0 ? r : apsp_transaction_commit(&tx, err);
}

/* The next tables that are not durable. Returns 1, or 0: there are none. */
static int next_find(
	struct apsp_table_sync *sync, uint64_t *out, struct apsp_err *err)
{
	sqlite3 *db = NULL;
	int64_t id = 0;
	int r;

	r = apsp_readers_take(sync->store->readers, &db, err);
	if (r < 0)
		return r;
	r = apsp_sql_int(db,
		"SELECT id FROM tables WHERE NOT durable AND id > ?1"
		" ORDER BY id LIMIT 1",
		APSP_BIND(apsp_bind_int((int64_t)sync->last)), &id, err);
	apsp_readers_give(sync->store->readers, db);
	if (r > 0)
		*out = (uint64_t)id;
	return r;
}

static int table_sync(
	struct apsp_store *store, uint64_t id, struct apsp_err *err)
{
	APSP_AUTO(apsp_free) char *path = NULL;
	struct record record = {.store = store, .id = id};
	int r;

	path = apsp_table_name_path(store->tables_dir, id);
	if (!path)
		return apsp_fail(err, APSP_ENOMEM, "no memory to sync tables");
	r = apsp_table_seal_sync(path, err);
	if (r == 0)
		r = apsp_directory_sync(store->tables_dir, err);
	return r < 0 ? r
		     : apsp_writer_run(
			       store->writer, &record.base, record_run, err);
}

static void trouble_tell(
	const struct apsp_store *store, uint64_t id, const struct apsp_err *why)
{
	struct apsp_err sentence;

	if (!store->hooks.trouble)
		return;
	apsp_fail(&sentence, APSP_EIO,
		"tables/%" PRIu64 ".apsp answers, and a power cut may take "
		"it: %s",
		id, why->message);
	store->hooks.trouble(store->hooks.ctx, sentence.message);
}

static void all_sync(struct apsp_table_sync *sync)
{
	struct apsp_err err;
	uint64_t id;

	while (next_find(sync, &id, &err) > 0) {
		int r = table_sync(sync->store, id, &err);

		if (r < 0)
			trouble_tell(sync->store, id, &err);
		sync->last = id;
	}
}

static void *sync_main(void *arg)
{
	struct apsp_table_sync *sync = arg;
	bool stop = false;

	while (!stop) {
		pthread_mutex_lock(&sync->lock);
		while (!sync->asked && !sync->stop)
			pthread_cond_wait(&sync->wake, &sync->lock);
		sync->asked = false;
		stop = sync->stop;
		pthread_mutex_unlock(&sync->lock);
		all_sync(sync);
	}
	return NULL;
}

static void sync_free(struct apsp_table_sync *sync)
{
	pthread_cond_destroy(&sync->wake);
	pthread_mutex_destroy(&sync->lock);
	free(sync);
}

int apsp_table_sync_start(struct apsp_store *store,
	struct apsp_table_sync **out, struct apsp_err *err)
{
	struct apsp_table_sync *sync = calloc(1, sizeof(*sync));
	int r;

	if (!sync)
		return apsp_fail(err, APSP_ENOMEM, "no memory to sync tables");
	sync->store = store;
	sync->asked = store->unsynced;
	pthread_mutex_init(&sync->lock, NULL);
	pthread_cond_init(&sync->wake, NULL);
	r = pthread_create(&sync->thread, NULL, sync_main, sync);
	if (r != 0) {
		sync_free(sync);
		return apsp_fail_errno(err, r, "start to sync tables");
	}
	pthread_setname_np(sync->thread, "table-sync");
	*out = sync;
	return 0;
}

void apsp_table_sync_wake(struct apsp_table_sync *sync)
{
	pthread_mutex_lock(&sync->lock);
	sync->asked = true;
	pthread_cond_signal(&sync->wake);
	pthread_mutex_unlock(&sync->lock);
}

void apsp_table_sync_stop(struct apsp_table_sync *sync)
{
	if (!sync)
		return;
	pthread_mutex_lock(&sync->lock);
	sync->stop = true;
	pthread_cond_signal(&sync->wake);
	pthread_mutex_unlock(&sync->lock);
	pthread_join(sync->thread, NULL);
	sync_free(sync);
}
