/*
 * The thread that syncs published table files; see table_sync.h.
 */
#include "storage/jobs/table_sync.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "daemon/base/auto.h"
#include "daemon/base/clock.h"
#include "storage/database/sql.h"
#include "storage/directories/directory.h"
#include "storage/snapshots/transaction.h"
#include "storage/tables/table_name.h"

enum {
	AGAIN_MS = 1000, /* milliseconds until the next try after a failure */
	SYNC_PIECE = 32 << 20, /* number of bytes that one call of
				  sync_file_range() writes to the disk */
};

struct apsp_table_sync {
	struct apsp_store *store; /* borrowed */
	pthread_t thread;
	pthread_mutex_t lock; /* guards `asked` and `stop` */
	bool asked;
	bool stop;
	pthread_cond_t wake;
	uint64_t
		reported; /* id of the tables whose failure was reported last */
};

/* The state of one sync. Two commands use this struct: the first command
   chooses the tables to sync, and the second command records the result. The
   struct lies on the stack of the thread that waits for the commands. */
struct turn {
	struct apsp_command base;
	struct apsp_store *store;
	uint64_t id; /* id of the tables; 0: no open tables are left to sync */
	bool waits; /* some tables that are not durable can be synced only after
		       they are opened and checked */
	bool written; /* whether the file was synced */
};

/*
 * Choose the tables with the least id among the open tables that are not
 * durable and whose sync has not failed. The command runs on the writer's
 * thread, which owns the list of open tables.
 */
static int turn_begin(struct apsp_command *base, struct apsp_err *err)
{
	struct turn *turn = (struct turn *)base;
	const struct apsp_open_tables *all = &turn->store->open_tables;

	(void)err;
	for (size_t i = 0; i < all->n; i++) {
		const struct apsp_open_tables_entry *entry = &all->entries[i];

		if (entry->durable || entry->unsyncable)
			continue;
		turn->waits |= !entry->tables;
		if (entry->tables && (turn->id == 0 || entry->id < turn->id))
			turn->id = entry->id;
	}
	return 0;
}

/* Record the result of the sync. The tables may have been dropped meanwhile. */
static int turn_end(struct apsp_command *base, struct apsp_err *err)
{
	struct turn *turn = (struct turn *)base;
	APSP_AUTO(apsp_transaction_done) struct apsp_transaction tx = {0};
	struct apsp_open_tables_entry *entry =
		apsp_open_tables_get(&turn->store->open_tables, turn->id);
	int r;

	if (!entry)
		return 0;
	/* never repeat a failed sync: the operating system has lost the pages,
	   and a second sync would wrongly report success */
	entry->unsyncable = !turn->written;
	if (!turn->written)
		return 0;
	r = apsp_transaction_begin(&tx, turn->store, err);
	if (r == 0)
		r = apsp_sql_run(tx.db,
			"UPDATE tables SET durable = 1 WHERE id = ?1",
			APSP_BIND(apsp_bind_id(turn->id)), err);
	if (r == 0)
		r = apsp_transaction_commit(&tx, err);
	if (r == 0)
		entry->durable = true;
	return r;
}

/*
 * Write the file to the disk in pieces, so that other syncs can run between the
 * pieces. Returns 0 or an errno. The caller must not ignore an error, because
 * fsync() does not report the same error again.
 */
static int pieces_write(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return errno;
	for (off_t at = 0; at < st.st_size; at += SYNC_PIECE)
		if (sync_file_range(fd, at, SYNC_PIECE,
			    SYNC_FILE_RANGE_WAIT_BEFORE |
				    SYNC_FILE_RANGE_WRITE |
				    SYNC_FILE_RANGE_WAIT_AFTER) < 0)
			/* ignore that the file system does not support
			   sync_file_range(), because the later fsync() writes
			   everything */
			return errno == ENOSYS || errno == EINVAL ? 0 : errno;
	return 0;
}

/*
 * Make the contents and the name of a table file durable. If the file does not
 * exist, the call succeeds, because the file's tables were dropped. APSP_EIO:
 * the sync must not be tried again. APSP_EBUSY or APSP_ENOMEM: the file could
 * not be opened, and the sync may be tried again.
 */
static int file_sync(
	const struct apsp_store *store, uint64_t id, struct apsp_err *err)
{
	APSP_AUTO(apsp_free) char *path = NULL;
	APSP_AUTO(apsp_close) int fd = -1;
	int error = 0;

	path = apsp_table_name_path(store->open_tables.dir, id);
	if (!path)
		return apsp_fail(err, APSP_ENOMEM, "no memory to sync tables");
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && errno != ENOENT)
		return apsp_fail_errno(err, errno, "open '%s'", path);
	if (fd >= 0)
		error = pieces_write(fd);
	if (fd >= 0 && error == 0 && fsync(fd) < 0)
		error = errno;
	if (error != 0)
		return apsp_fail(
			err, APSP_EIO, "sync '%s': %s", path, strerror(error));
	return apsp_directory_sync(store->open_tables.dir, err);
}

/* Report why tables could not be synced. Each table file is reported once,
   however often its sync is tried. */
static void trouble_report(
	struct apsp_table_sync *sync, uint64_t id, const struct apsp_err *why)
{
	const struct apsp_store_hooks *hooks = &sync->store->hooks;
	struct apsp_err sentence;

	if (!hooks->trouble || sync->reported == id)
		return;
	sync->reported = id;
	apsp_fail(&sentence, APSP_EIO,
		"tables/%" PRIu64 ".apsp is served, but a power cut may "
		"destroy it: %s",
		id, why->message);
	hooks->trouble(hooks->ctx, sentence.message);
}

/*
 * Try to sync one file. Returns 1 if more files may be left to sync; 0 if none
 * is left; or a negative code if the sync must be tried again later.
 */
static int one_sync(struct apsp_table_sync *sync)
{
	struct apsp_store *store = sync->store;
	struct turn turn = {.store = store};
	struct apsp_err err;
	int r;

	r = apsp_writer_run(store->writer, &turn.base, turn_begin, &err);
	if (r == 0 && turn.id == 0)
		return turn.waits ? APSP_EBUSY : 0;
	if (r < 0)
		return r;
	r = file_sync(store, turn.id, &err);
	if (r == APSP_EBUSY || r == APSP_ENOMEM)
		return r; /* the file could not be opened, so its sync can be
			     tried again */
	if (r < 0)
		trouble_report(sync, turn.id, &err);
	turn.written = r == 0;
	r = apsp_writer_run(store->writer, &turn.base, turn_end, &err);
	if (r < 0)
		trouble_report(sync, turn.id, &err);
	return r < 0 ? r : 1;
}

/* Wait until apsp_table_sync_wake() is called. If `left` is true (files are
   left to sync), wait at most AGAIN_MS. Returns false if the thread is to
   stop. */
static bool sync_wait(struct apsp_table_sync *sync, bool left)
{
	int64_t until_ms = apsp_clock_ms() + AGAIN_MS;
	const struct timespec until = {.tv_sec = until_ms / 1000,
		.tv_nsec = until_ms % 1000 * 1000000};
	bool stop, late = false;

	pthread_mutex_lock(&sync->lock);
	while (!sync->asked && !sync->stop && !late)
		if (left)
			late = pthread_cond_timedwait(&sync->wake, &sync->lock,
				       &until) == ETIMEDOUT;
		else
			pthread_cond_wait(&sync->wake, &sync->lock);
	sync->asked = false;
	stop = sync->stop;
	pthread_mutex_unlock(&sync->lock);
	return !stop;
}

static void *sync_main(void *arg)
{
	struct apsp_table_sync *sync = arg;
	bool go_on;
	int r = 0;

	do {
		go_on = sync_wait(sync, r < 0);
		while ((r = one_sync(sync)) > 0)
			continue;
	} while (go_on);
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
	pthread_condattr_t attr;
	int r;

	if (!sync)
		return apsp_fail(err, APSP_ENOMEM, "no memory to sync tables");
	sync->store = store;
	sync->asked = true;
	pthread_mutex_init(&sync->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&sync->wake, &attr);
	pthread_condattr_destroy(&attr);
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
