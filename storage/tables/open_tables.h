/*
 * All table files of the store. Each row of the database table `tables` has an
 * entry here, even if its file could not be opened. Removed files that readers
 * still use are in a separate list. Only the writer thread may use these two
 * lists; requests find tables in graph snapshots.
 */
#ifndef APSP_STORAGE_TABLES_OPEN_TABLES_H
#define APSP_STORAGE_TABLES_OPEN_TABLES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "storage/tables/tables.h"

enum {
	/* default time in milliseconds in which the readers of a removed file
	   must finish */
	APSP_DROPPED_TABLES_GRACE_MS = 60000,
	/* default time in milliseconds in which a reader that sends a whole
	   removed file must finish: an hour */
	APSP_HELD_TABLES_GRACE_MS = 3600000,
};

/* The state of the scrub, which checks files for silent damage (scrub.h). */
struct apsp_scrub {
	/* Counts since the daemon started. Any thread may read these counts. */
	atomic_uint_least64_t n_blocks;
	/* number of complete passes over all files */
	atomic_uint_least64_t n_passes;
	atomic_int_least64_t pass_ended_at_ms; /* end of the last pass, in UTC;
						  0: no pass has ended */
	/* number of files that the scrub, a reader or an attempt to open them
	   has found damaged or absent. Each file is counted once, when its row
	   is removed from the database */
	atomic_uint_least64_t n_damaged;

	/* Only the writer thread may use the following members. The first
	   n_checked entries of the list are the files that were checked in this
	   pass. */
	size_t n_checked;
	int64_t due_ms; /* monotonic time in milliseconds at which the scrub
			   continues (storage/housekeeping.c) */
};

struct apsp_open_tables_entry {
	uint64_t id; /* id of the row in the database; the file's name contains
			this id */
	char revision[APSP_HASH_SIZE];
	char hash[APSP_HASH_SIZE];
	/* whether the row in the database says that the file is durable */
	bool durable;
	bool unsyncable; /* true: an attempt to sync the file has failed */
	/* the open tables, with one reference; NULL: the file cannot be opened
	   now. Only apsp_open_tables_serve() changes this member. */
	struct apsp_tables *tables;
	struct apsp_err trouble; /* why `tables` is NULL */
	/* it was reported that the damaged tables cannot be removed from the
	   database */
	bool loss_reported;
	/* Tables whose file was opened. All blocks of the file must be checked
	   before requests may use these tables. Holds one reference. NULL: no
	   tables wait for this check. */
	struct apsp_tables *checking;
};

/* A removed file that had readers when it was removed. */
struct apsp_dropped_tables {
	struct apsp_tables *tables; /* holds one reference */
	int fd; /* descriptor of the file, open for writing, so that the file
		   can be truncated */
	int64_t until_ms; /* monotonic time in milliseconds by which readers
			     must have finished */
	int64_t held_until_ms; /* monotonic time in milliseconds by which
				  readers that send the whole file must have
				  finished */
};

struct apsp_open_tables {
	char *dir; /* directory of the files, constant; owned */
	struct apsp_open_tables_entry *entries; /* owned, in no order */
	size_t n;
	size_t capacity;
	struct apsp_scrub scrub;
	/* Number of entries that have tables, and the size of these tables'
	   files. Any thread may read these two members. */
	atomic_uint_least64_t n_served;
	atomic_uint_least64_t served_bytes;
	struct apsp_dropped_tables *dropped; /* owned, in no order */
	size_t n_dropped;
	int grace_ms; /* milliseconds in which readers of a removed file must
			 finish */
	int held_grace_ms; /* milliseconds in which readers that send a whole
			      file must finish after the file was removed */
};

/* Close all files. Call this when the store is closed, after the last reader
   has finished. */
void apsp_open_tables_done(struct apsp_open_tables *all);

/* Add a copy of `entry` to the list. On success, the list takes over the
   references that `entry` holds. APSP_ENOMEM. */
int apsp_open_tables_add(struct apsp_open_tables *all,
	const struct apsp_open_tables_entry *entry, struct apsp_err *err);

/* Give `tables` to an entry; NULL: the entry has no open tables any longer. The
   entry takes over the caller's reference. The function does not end the
   entry's reference to its earlier tables; the caller must do that. */
void apsp_open_tables_serve(struct apsp_open_tables *all,
	struct apsp_open_tables_entry *entry, struct apsp_tables *tables);

/* Return the entry with this id, or NULL if there is none. The entry is
   borrowed until the list changes. */
struct apsp_open_tables_entry *apsp_open_tables_get(
	struct apsp_open_tables *all, uint64_t id);

/* Return the entry of the tables with this revision and profile hash, or NULL
   if there is none. The entry is borrowed until the list changes. */
const struct apsp_open_tables_entry *apsp_open_tables_find(
	const struct apsp_open_tables *all, const char *revision,
	const char *hash);

/*
 * Remove the entry with this id, if there is one, and its file. Then no new
 * reader can find the tables. Readers that have the tables already may finish,
 * but their mapping keeps the file's disk space in use. So the file is
 * truncated after a grace time, which is longer while a reader sends the whole
 * file (apsp_tables_hold()). Readers that have not finished when the grace time
 * ends fail as if the file were damaged (storage/tables/README.md, Tables are
 * files). Never fails.
 */
void apsp_open_tables_drop(struct apsp_open_tables *all, uint64_t id);

/*
 * Close the removed files that have no readers any longer. Truncate the removed
 * files that still have readers after the grace time. Returns the milliseconds
 * until the next call, or -1 if no removed file is left.
 */
int apsp_open_tables_tend(struct apsp_open_tables *all);

#endif
