/*
 * The store: both directories, the database, the writer thread and the graphs
 * in memory.
 *
 *	state_dir/apspd.sqlite       graphs, profiles, jobs, rows of tables
 *	cache_dir/tables/<id>.apsp   table files
 *	cache_dir/jobs/              files of running jobs
 *	cache_dir/kernels/           compiled kernels
 *
 * All writes to the database happen on the writer thread through one connection
 * (storage/database/README.md, One connection writes). A command that changes
 * something reports its result through a callback (struct apsp_done). Requests
 * read reference-counted snapshots in memory and never wait for the writer.
 */
#ifndef APSP_STORAGE_STORE_H
#define APSP_STORAGE_STORE_H

#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/base/settings.h"
#include "storage/database/writer.h"
#include "daemon/base/budget.h"
#include "storage/snapshots/store_hooks.h"

struct apsp_adjacency_cache;
struct apsp_held_uploads;
struct apsp_open_tables;
struct apsp_row_cache;
struct apsp_snapshot_map;
struct apsp_store;

struct apsp_store_config {
	/* The settings give the paths of the state directory and the cache
	   directory. A missing directory is made with mode 0700. Borrowed until
	   apsp_store_open() returns. */
	const struct apsp_settings *settings;
	uint32_t max_queued_jobs; /* largest number of queued jobs; further jobs
				     are refused with APSP_EQUEUEFULL */
	/* after tables were deleted, readers are allowed to keep the tables'
	   file open for this number of milliseconds; 0: a minute */
	int reader_grace_ms;
	/* Limits of uploads in progress. NULL: the limits of
	   daemon/base/limits.def, which leave 64 MiB of the disk free.
	   Borrowed. */
	const struct apsp_budget_limits *upload_limits;
	/*
	 * Limits of the memory of answers. NULL: the limit for all answers
	 * together is the setting answer-memory. If this setting is absent, the
	 * limit is a sixteenth of the machine's memory, but at most 16 GiB. The
	 * limit for one answer is half of the limit for all answers. Borrowed.
	 */
	const struct apsp_budget_limits *answer_limits;
	struct apsp_store_hooks hooks;
	/* longest sleep of the writer thread in milliseconds. The thread shows
	   a sign of life after each sleep. 0: the thread is not watched */
	int beat_ms;
};

/*
 * Check both directories (own_directory.h) and lock them (flock), open and
 * migrate the database, repair what a crash left, and start the
 * writer. APSP_EIO: another daemon has locked the directories, or they cannot
 * be read or made. APSP_EUNUSABLE: the directories or the database do not
 * belong to apspd or cannot be used, and nothing was changed in them.
 * APSP_ENEWER: a newer version of apspd has written the database, and nothing
 * was changed. The messages of these errors are whole sentences for the user.
 * APSP_EDB.
 */
int apsp_store_open(const struct apsp_store_config *config,
	struct apsp_store **out, struct apsp_err *err);

/*
 * Run all posted commands, then close everything. The caller has released all
 * snapshots, and no other thread may call the store. Accepts NULL.
 */
void apsp_store_close(struct apsp_store *store);

/* Parts of the store that requests share. Any thread may use them. All parts
   are borrowed. */
struct apsp_store_parts {
	struct apsp_snapshot_map *graphs;
	/* uploads whose rows are kept while a bundle is sent */
	struct apsp_held_uploads *held;
	/* the state directory, in which unfinished uploads have their temporary
	   files */
	const char *spool_dir;
	/* directory for the table files of an uploaded bundle, until a job has
	   checked them (storage/ingest/received_table.h) */
	const char *received_dir;
	struct apsp_budget *uploads; /* budget of uploads in progress */
	/* budget of memory for requests: for their bodies, for searches, and
	   for answers that are not sent yet */
	struct apsp_budget *answers;
	/* cache of the arcs of profiles, in memory, for requests that search
	   paths arc by arc */
	struct apsp_adjacency_cache *adjacencies;
	/* the cache of rows of graphs without tables */
	struct apsp_row_cache *rows;
	/* the thread that writes to the database; requests may only ask whether
	   it is alive (apsp_writer_alive()) */
	const struct apsp_writer *writer;
	/* the list of open table files; requests may read only the counts that
	   any thread may read (open_tables.h) */
	const struct apsp_open_tables *tables;
};

/* Return the parts of the store that requests share; borrowed from the
   store. */
const struct apsp_store_parts *apsp_store_parts(const struct apsp_store *store);

/*
 * Report the result of the last write to the database, for /readyz. Does not
 * block. After a failure, housekeeping tries to write again every second.
 * APSP_ESTATEFULL, APSP_EDB, APSP_ENOMEM. APSP_EUNUSABLE: the database was
 * removed.
 */
int apsp_store_check(struct apsp_store *store, struct apsp_err *err);

/* Check that the cache directory exists and can be written. APSP_EIO: it does
   not exist, or it cannot be written. */
int apsp_store_check_cache(
	const struct apsp_store *store, struct apsp_err *err);

#endif
