/*
 * All table files of the store. Each row of the database's `tables` has an
 * entry, even if its file could not be opened. Removed files that readers still
 * use have a list of their own. For the writer thread only; requests find
 * tables in graph snapshots.
 */
#ifndef APSP_STORAGE_TABLES_OPEN_TABLES_H
#define APSP_STORAGE_TABLES_OPEN_TABLES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "storage/tables/tables.h"

enum {
	APSP_DROPPED_TABLES_GRACE_MS = 60000, /* for readers, by default */
};

/* Counts of the scrub since the daemon started. Any thread may read them. */
struct apsp_scrub_counts {
	atomic_uint_least64_t n_blocks;
	atomic_uint_least64_t n_passes;	       /* over all files */
	atomic_int_least64_t pass_ended_at_ms; /* UTC; 0: none has */
	atomic_uint_least64_t n_damaged;       /* damaged or absent files */
};

struct apsp_open_tables_entry {
	uint64_t id; /* id of the row, which is also in the file's name */
	char revision[APSP_HASH_SIZE];
	char hash[APSP_HASH_SIZE];
	bool durable;	 /* as the row says */
	bool unsyncable; /* a sync of the file has failed */
	/* holds one reference; NULL: the file cannot be opened at present … */
	struct apsp_tables *tables;
	struct apsp_err trouble; /* … for this reason */
	/* Tables whose file was opened, but which requests may use only after
	   all blocks are checked. Holds one reference. NULL: there are none. */
	struct apsp_tables *checking;
};

/* A removed file that had readers when it was removed. */
struct apsp_dropped_tables {
	struct apsp_tables *tables; /* holds one reference */
	int fd;			    /* to truncate the file */
	int64_t until_ms; /* monotonic time at which readers must have finished
			   */
};

struct apsp_open_tables {
	char *dir; /* directory of the files, constant; owned */
	struct apsp_open_tables_entry *entries; /* owned, in no order */
	size_t n;
	size_t capacity;
	size_t n_scrubbed; /* number of entries that this pass of the scrub has
			      checked; they are the first ones of `entries` */
	struct apsp_scrub_counts scrub;
	struct apsp_dropped_tables *dropped; /* owned, in no order */
	size_t n_dropped;
	int grace_ms; /* milliseconds that readers of a removed file have to
			 finish */
};

/* Close all files. Called when the store is closed, after the last reader has
   finished. */
void apsp_open_tables_done(struct apsp_open_tables *all);

/* Add a copy of `entry`. On success the list owns the entry's references.
   APSP_ENOMEM. */
int apsp_open_tables_add(struct apsp_open_tables *all,
	const struct apsp_open_tables_entry *entry, struct apsp_err *err);

/* Find an entry by its id; NULL if there is none. Borrowed until the list
   changes. */
struct apsp_open_tables_entry *apsp_open_tables_get(
	struct apsp_open_tables *all, uint64_t id);

/* Find the entry of the tables with this revision and profile hash; NULL if
   there is none. Borrowed until the list changes. */
const struct apsp_open_tables_entry *apsp_open_tables_find(
	const struct apsp_open_tables *all, const char *revision,
	const char *hash);

/*
 * Remove the entry of this id, if there is one, and its file. No new reader can
 * find the tables then. An earlier reader may finish, but its mapping keeps the
 * file's disk space in use. So after a while the file is truncated, and readers
 * that have not finished fail as if the file were damaged
 * (storage/tables/README.md, Tables are files). Never fails.
 */
void apsp_open_tables_drop(struct apsp_open_tables *all, uint64_t id);

/*
 * Close the removed files that no reader uses any more. Truncate those that
 * readers still use after the grace time. Returns the milliseconds until the
 * next call, or -1 if no removed file is left.
 */
int apsp_open_tables_tend(struct apsp_open_tables *all);

/*
 * The scrub: in idle time, all blocks of all files are checked again and again,
 * slowly, because a file may change while it is served, and most of its blocks
 * are seldom read. This call checks the next few blocks, and goes through one
 * file after the other. It reports damage to the tables' watch. Returns the
 * milliseconds until the next call, or -1 if no file is open.
 */
int apsp_open_tables_scrub(struct apsp_open_tables *all);

#endif
