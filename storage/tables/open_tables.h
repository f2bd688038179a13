/*
 * All table files of the store. Each row of the database's `tables` has an
 * entry, even if its file could not be opened. Removed files that readers still
 * use are listed apart. For the writer thread only; requests find tables in
 * graph snapshots.
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

/* What the scrub has checked since the start. Any thread. */
struct apsp_scrub_counts {
	atomic_uint_least64_t n_blocks;
	atomic_uint_least64_t n_passes;	       /* over all files */
	atomic_int_least64_t pass_ended_at_ms; /* UTC; 0: none has */
};

struct apsp_open_tables_entry {
	uint64_t id; /* the row's id, which is also in the file's name */
	char revision[APSP_HASH_SIZE];
	char hash[APSP_HASH_SIZE];
	bool durable;	 /* as the row says */
	bool unsyncable; /* a sync of the file has failed */
	/* holds one reference; NULL: the file cannot be opened at present … */
	struct apsp_tables *tables;
	struct apsp_err trouble; /* … for this reason */
	/* holds one reference: the file could be opened, and is being checked
	   whole before it answers; else NULL */
	struct apsp_tables *checking;
};

/* A removed file that had readers. */
struct apsp_dropped_tables {
	struct apsp_tables *tables; /* holds one reference */
	int fd;			    /* to truncate the file */
	int64_t until_ms;	    /* monotonic: the readers' time is over */
};

struct apsp_open_tables {
	struct apsp_open_tables_entry *entries; /* owned, in no order */
	size_t n;
	size_t capacity;
	size_t n_scrubbed; /* the first entries, which this pass has checked */
	struct apsp_scrub_counts scrub;
	struct apsp_dropped_tables *dropped; /* owned, in no order */
	size_t n_dropped;
	int grace_ms; /* for readers of dropped tables */
};

/* Close all files, when the store is closed. No reader may be left. */
void apsp_open_tables_done(struct apsp_open_tables *all);

/* Add a copy of the entry. On success it takes over the reference.
   APSP_ENOMEM. */
int apsp_open_tables_add(struct apsp_open_tables *all,
	const struct apsp_open_tables_entry *entry, struct apsp_err *err);

/* Find an entry by its id. Borrowed until the next change; NULL: none. */
struct apsp_open_tables_entry *apsp_open_tables_get(
	struct apsp_open_tables *all, uint64_t id);

/* Find an entry by its tables. Borrowed until the next change; NULL: none. */
const struct apsp_open_tables_entry *apsp_open_tables_find(
	const struct apsp_open_tables *all, const char *revision,
	const char *hash);

/*
 * Remove an entry, if there is one of this id, and its file in dir. No new
 * reader can find its tables. A reader that began earlier may finish with them,
 * but its mapping keeps their disk space in use. So after a while the file is
 * truncated, and readers that remain fail as with a damaged file
 * (storage/tables/README.md, Tables are files). Never fails.
 */
void apsp_open_tables_drop(
	struct apsp_open_tables *all, const char *dir, uint64_t id);

/*
 * Close the dropped files without readers, and truncate those whose readers'
 * time is over. Returns the milliseconds until the next call, or -1: no dropped
 * file is left.
 */
int apsp_open_tables_tend(struct apsp_open_tables *all);

/*
 * The scrub: in idle time, all blocks of all files are checked again and again,
 * slowly, because a file may change while it is served, and most of its blocks
 * are seldom read. This call checks the next few blocks, one file after the
 * other. Damage is reported to the tables' watch. Returns the milliseconds
 * until the next call, or -1: no file is open.
 */
int apsp_open_tables_scrub(struct apsp_open_tables *all);

#endif
