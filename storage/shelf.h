/*
 * The open table files by (revision, profile hash): one entry for each row of
 * `tables`. The writer thread's own; requests meet tables through views.
 */
#ifndef APSP_STORAGE_SHELF_H
#define APSP_STORAGE_SHELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "storage/tables.h"

struct apsp_shelf_entry {
	uint64_t id; /* of the row; also the file's name */
	char revision[APSP_HASH_SIZE];
	char hash[APSP_HASH_SIZE];
	struct apsp_tables *tables; /* one reference is the shelf's */
};

struct apsp_shelf {
	struct apsp_shelf_entry *entries; /* owned, in no order */
	size_t n;
	size_t capacity;
	size_t scrubbing; /* entry whose turn it is */
};

void apsp_shelf_done(struct apsp_shelf *shelf);

/* Takes one reference over on success. APSP_ENOMEM. */
int apsp_shelf_add(struct apsp_shelf *shelf, uint64_t id, const char *revision,
	const char *hash, struct apsp_tables *tables, struct apsp_err *err);

/* Drop the entry's reference. An id that is not there is fine. */
void apsp_shelf_remove(struct apsp_shelf *shelf, uint64_t id);

/* Borrowed until the shelf changes, or NULL. */
const struct apsp_shelf_entry *apsp_shelf_find(
	const struct apsp_shelf *shelf, const char *revision, const char *hash);

/* One more reference to the tables, or NULL. */
struct apsp_tables *apsp_shelf_get(
	const struct apsp_shelf *shelf, const char *revision, const char *hash);

/*
 * Check the next few blocks. Returns false when the round over all tables ended
 * before that many. Damage is told by the tables' own watch.
 */
bool apsp_shelf_scrub(struct apsp_shelf *shelf, int blocks);

#endif
