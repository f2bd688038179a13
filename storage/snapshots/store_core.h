/*
 * The part of the store that three directories use (storage, storage/jobs and
 * storage/snapshots): the database, its snapshots and the table files. The
 * members that only storage/jobs uses are in struct apsp_job_part. The members
 * that only storage uses are in struct whole (store.c).
 */
#ifndef APSP_STORAGE_SNAPSHOTS_STORE_CORE_H
#define APSP_STORAGE_SNAPSHOTS_STORE_CORE_H

#include <stdatomic.h>
#include <stdbool.h>

#include <sqlite3.h>

#include "storage/database/database.h"
#include "storage/database/readers.h"
#include "storage/database/writer.h"
#include "storage/snapshots/active_jobs.h"
#include "storage/snapshots/database_file.h"
#include "storage/snapshots/held_uploads.h"
#include "storage/snapshots/snapshot_map.h"
#include "storage/snapshots/store_hooks.h"
#include "storage/tables/open_tables.h"

struct apsp_job_part;

/* The state of the connection that writes. Transactions and housekeeping change
   this state. */
struct apsp_write_state {
	bool lazy;	   /* true: commits do not wait for the disk */
	bool sweeping;	   /* there may be rows to remove: rows of deleted
			      generations, or attributes to which no generation
			      refers */
	bool unsettled;	   /* perhaps a part of the write-ahead log is not
			      checkpointed yet */
	atomic_int health; /* result of the last write: 0 or a code. Any thread
			      may read it. */
};

struct apsp_store {
	/* The members from here to `writer` are set before the writer starts,
	   and do not change afterwards. */
	struct apsp_database_file database_file;
	struct apsp_store_hooks hooks;
	struct apsp_job_part *jobs; /* borrowed */
	struct apsp_readers *readers;
	struct apsp_writer *writer;

	/* Only the writer thread uses the members from here to `open_tables`.
	   Before the writer thread starts, only the thread that calls
	   apsp_store_open() uses them. */
	sqlite3 *db;
	struct apsp_write_state writes;
	struct apsp_open_tables open_tables;

	/* Any thread may use the following members. */
	struct apsp_snapshot_map *snapshots;
	struct apsp_active_jobs active;
	struct apsp_held_uploads held;
};

#endif
