/*
 * What struct apsp_store holds, for the files of this room only. db and
 * open_tables belong to the writer thread; before it starts, to the caller of
 * apsp_store_open().
 */
#ifndef APSP_STORAGE_SNAPSHOTS_STORE_INTERNAL_H
#define APSP_STORAGE_SNAPSHOTS_STORE_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <sqlite3.h>

#include "storage/database/database.h"
#include "storage/database/readers.h"
#include "storage/database/writer.h"
#include "daemon/base/budget.h"
#include "storage/snapshots/snapshot_map.h"
#include "storage/snapshots/store_hooks.h"
#include "storage/snapshots/troubles.h"
#include "storage/snapshots/unshown_jobs.h"
#include "storage/tables/dropped_tables.h"
#include "storage/tables/open_tables.h"

struct apsp_adjacency_cache;
struct apsp_table_sync;

struct apsp_store {
	char *state_dir;
	char *cache_dir;
	char *tables_dir;
	char *database_path;
	int state_lock;	    /* -1: none */
	int cache_lock;	    /* -1: none, or the same directory */
	dev_t database_dev; /* the file that was opened */
	ino_t database_ino;
	uint32_t max_queued_jobs;
	uint64_t cache_limit; /* bytes that tables may take */
	struct apsp_store_hooks hooks;
	struct apsp_budget *uploads;
	struct apsp_budget *answers;
	struct apsp_adjacency_cache *adjacencies;

	sqlite3 *db;
	int log_pages; /* of db's log, at the last commit */
	bool lazy;     /* of db: commits do not wait for the disk */
	struct apsp_open_tables open_tables;
	atomic_uint_least64_t n_damaged; /* see struct apsp_store_scrub */
	struct apsp_dropped_tables dropped;
	bool sweeping;	     /* rows of dead generations may be left */
	int64_t retry_at_ms; /* monotonic: when closed tables are tried again */
	int64_t scrub_at_ms; /* monotonic: when blocks are checked next */
	bool unsettled;	     /* something was written since the last clean-up */

	struct apsp_snapshot_map *snapshots;
	struct apsp_troubles *troubles;
	struct apsp_unshown_jobs unshown;
	struct apsp_readers *readers;
	struct apsp_writer *writer;
	struct apsp_table_sync *table_sync;
	atomic_uint n_queued_jobs;
	atomic_uint n_reserved_jobs; /* places in the queue, for uploads */
	atomic_int health;	     /* result of the last write: 0 or a code */
};

#endif
