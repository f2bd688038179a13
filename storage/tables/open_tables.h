/*
 * All table files by (revision, profile hash). Each row of the database's
 * `tables` has an entry, even if its file could not be opened. For the writer
 * thread only; requests find tables in graph snapshots.
 */
#ifndef APSP_STORAGE_TABLES_OPEN_TABLES_H
#define APSP_STORAGE_TABLES_OPEN_TABLES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "storage/tables/tables.h"

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

struct apsp_open_tables {
	struct apsp_open_tables_entry *entries; /* owned, in no order */
	size_t n;
	size_t capacity;
	size_t n_scrubbed; /* entries that this pass has checked: the first ones
			    */
	struct apsp_scrub_counts scrub;
};

void apsp_open_tables_done(struct apsp_open_tables *all);

/* Add a copy of the entry. On success it takes over the reference.
   APSP_ENOMEM. */
int apsp_open_tables_add(struct apsp_open_tables *all,
	const struct apsp_open_tables_entry *entry, struct apsp_err *err);

/* Find an entry by its id. Borrowed until the next add or take; NULL: none. */
struct apsp_open_tables_entry *apsp_open_tables_get(
	struct apsp_open_tables *all, uint64_t id);

/*
 * Remove an entry. The caller gets its reference; NULL: it had none, or there
 * is no such entry.
 */
struct apsp_tables *apsp_open_tables_take(
	struct apsp_open_tables *all, uint64_t id);

/* Borrowed until the next add or take; NULL: none. */
const struct apsp_open_tables_entry *apsp_open_tables_find(
	const struct apsp_open_tables *all, const char *revision,
	const char *hash);

#endif
