/*
 * The part of the store that three directories use (storage, storage/jobs and
 * storage/snapshots): the database, its snapshots and the table files.
 * storage/jobs keeps its own part in struct apsp_job_part, and storage in
 * struct whole of store.c.
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
	/* set before the writer starts, then constant */
	char *tables_dir;
	char *database_path;
	dev_t database_dev; /* device and inode of the file that was opened */
	ino_t database_ino;
	struct apsp_store_hooks hooks;
	struct apsp_job_part *jobs; /* borrowed */
	struct apsp_readers *readers;
	struct apsp_writer *writer;

	/* For the writer thread only; before it starts, for the thread that
	   calls apsp_store_open(). */
	sqlite3 *db;
	bool lazy; /* commits do not wait for the disk */
	struct apsp_open_tables open_tables;
	bool sweeping;	/* there may be rows of deleted generations to remove */
	bool unsettled; /* something was written since the log was last
			   checkpointed whole */
	int64_t scrub_at_ms; /* monotonic time at which the scrub goes on */

	/* any thread */
	struct apsp_snapshot_map *snapshots;
	struct apsp_active_jobs active;
	atomic_uint_least64_t
		n_damaged; /* as in struct apsp_store_scrub (store.h) */
	atomic_int health; /* result of the last write: 0 or a code */
};

#endif
