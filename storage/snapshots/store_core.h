/*
 * The part of the store that three rooms use (storage, storage/jobs and
 * storage/snapshots): the database, its snapshots and the table files. Each
 * other room keeps its own part in a struct of its own: struct apsp_job_part,
 * and struct whole of storage/store.c.
 */
#ifndef APSP_STORAGE_SNAPSHOTS_STORE_CORE_H
#define APSP_STORAGE_SNAPSHOTS_STORE_CORE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <sqlite3.h>

#include "storage/database/database.h"
#include "storage/database/readers.h"
#include "storage/database/writer.h"
#include "storage/snapshots/active_jobs.h"
#include "storage/snapshots/snapshot_map.h"
#include "storage/snapshots/store_hooks.h"
#include "storage/tables/open_tables.h"

struct apsp_job_part;

struct apsp_store {
	/* set before the writer starts */
	char *tables_dir;
	char *database_path;
	dev_t database_dev; /* the file that was opened */
	ino_t database_ino;
	struct apsp_store_hooks hooks;
	struct apsp_job_part *jobs; /* borrowed */
	struct apsp_readers *readers;
	struct apsp_writer *writer;

	/* Used by the writer thread only; before it starts, by the thread
	   that calls apsp_store_open(). */
	sqlite3 *db;
	bool lazy; /* commits of db do not wait for the disk */
	struct apsp_open_tables open_tables;
	bool sweeping;	     /* rows of deleted generations may be left */
	bool unsettled;	     /* something was written since the last clean-up */
	int64_t scrub_at_ms; /* monotonic: when blocks are checked next */

	/* any thread */
	struct apsp_snapshot_map *snapshots;
	struct apsp_active_jobs active;
	atomic_uint_least64_t n_damaged; /* see struct apsp_store_scrub */
	atomic_int health; /* result of the last write: 0 or a code */
};

#endif
