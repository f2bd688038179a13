/*
 * The store: both directories, the database, the writer thread and the graphs
 * in memory.
 *
 *	state_dir/apspd.sqlite          graphs, profiles, jobs, table records
 *	cache_dir/tables/<id>.apsp      table files; the row is the truth
 *	cache_dir/jobs/                 the worker's; cache_dir/kernels/: the
 *solver's
 *
 * All writing happens on the writer thread through one connection (design.md,
 * decision 3). A change is a command with a completion; readers look at
 * counted snapshots in memory and never wait for it.
 */
#ifndef APSP_STORAGE_STORE_H
#define APSP_STORAGE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"

struct apsp_store;

/*
 * How a command reports: once, on the writer thread; must not block. Where
 * there is no memory for the command (APSP_ENOMEM), or the store is being
 * closed (APSP_ESTOPPING), on the caller's thread before the call returns.
 */
struct apsp_done {
	void (*fn)(void *ctx, int result, const struct apsp_err *err);
	void *ctx;
};

/* Called on the writer thread; must not block. Any of them may be NULL. */
struct apsp_store_hooks {
	void *ctx;
	void (*jobs_queued)(void *ctx);		     /* wake the worker */
	void (*job_changed)(void *ctx, uint64_t id); /* wake who waits for it */
	void (*job_unwanted)(void *ctx, uint64_t id); /* cancel it if it runs */
	/* Served tables were found damaged; they are computed again. */
	void (*tables_lost)(
		void *ctx, const char *revision, const char *profile_hash);
};

struct apsp_store_config {
	const char *state_dir; /* absolute; made with mode 0700 if missing */
	const char *cache_dir;
	uint32_t max_queued_jobs; /* queued jobs past this: APSP_EQUEUEFULL */
	struct apsp_store_hooks hooks;
};

/*
 * Lock both directories (flock), open and migrate the database, remove
 * half-loaded generations and table files without a row, queue again the jobs
 * that were running (or fail them after APSP_JOB_TRIES), map the tables, start
 * the writer. APSP_EIO: a second daemon has the directories, or they cannot be
 * used; the message is a whole sentence for the user. APSP_EDB: the database is
 * not ours, newer than we are, or damaged.
 */
int apsp_store_open(const struct apsp_store_config *config,
	struct apsp_store **out, struct apsp_err *err);

/*
 * Finish the commands that are queued, close everything. No view may be held
 * any more, and no other thread may call in. Accepts NULL.
 */
void apsp_store_close(struct apsp_store *store);

/* Where uploads spool: the state directory, borrowed. */
const char *apsp_store_spool_dir(const struct apsp_store *store);

/*
 * Bytes that are free on the cache's disk, for tables. APSP_EIO.
 */
int apsp_store_free_bytes(
	const struct apsp_store *store, uint64_t *out, struct apsp_err *err);

/*
 * Whether the database could be written when that was last tried (for readyz).
 * Not blocking; after a failure it is tried again every second. APSP_ENOSPACE,
 * APSP_EDB, APSP_ENOMEM.
 */
int apsp_store_check(struct apsp_store *store, struct apsp_err *err);

/* Whether the cache directory is there and lets us write. APSP_EIO. */
int apsp_store_check_cache(
	const struct apsp_store *store, struct apsp_err *err);

/*
 * Run a command and wait for it: for the worker thread and for tests. Usage:
 *	wait = apsp_wait_new(err);
 *	apsp_graphs_delete(store, …, apsp_wait_done(wait));
 *	return apsp_wait_for(wait, err);
 */
struct apsp_wait;
struct apsp_wait *apsp_wait_new(struct apsp_err *err);
struct apsp_done apsp_wait_done(struct apsp_wait *wait);
int apsp_wait_for(struct apsp_wait *wait, struct apsp_err *err); /* frees it */

#endif
