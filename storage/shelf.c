/*
 * Open table files; see shelf.h.
 */
#include "storage/shelf.h"

#include <stdlib.h>
#include <string.h>

void apsp_shelf_done(struct apsp_shelf *shelf)
{
	for (size_t i = 0; i < shelf->n; i++)
		apsp_tables_unref(shelf->entries[i].tables);
	free(shelf->entries);
	memset(shelf, 0, sizeof(*shelf));
}

int apsp_shelf_add(struct apsp_shelf *shelf, uint64_t id, const char *revision,
	const char *hash, struct apsp_tables *tables, struct apsp_err *err)
{
	struct apsp_shelf_entry *entry;

	if (shelf->n == shelf->capacity) {
		size_t capacity = shelf->capacity ? shelf->capacity * 2 : 16;

		entry = reallocarray(shelf->entries, capacity, sizeof(*entry));
		if (!entry)
			return apsp_fail(
				err, APSP_ENOMEM, "no memory for tables");
		shelf->entries = entry;
		shelf->capacity = capacity;
	}
	entry = &shelf->entries[shelf->n++];
	memset(entry, 0, sizeof(*entry));
	entry->id = id;
	strncpy(entry->revision, revision, sizeof(entry->revision) - 1);
	strncpy(entry->hash, hash, sizeof(entry->hash) - 1);
	entry->tables = tables;
	return 0;
}

void apsp_shelf_remove(struct apsp_shelf *shelf, uint64_t id)
{
	for (size_t i = 0; i < shelf->n; i++) {
		if (shelf->entries[i].id != id)
			continue;
		apsp_tables_unref(shelf->entries[i].tables);
		shelf->entries[i] = shelf->entries[--shelf->n];
		return;
	}
}

const struct apsp_shelf_entry *apsp_shelf_find(
	const struct apsp_shelf *shelf, const char *revision, const char *hash)
{
	for (size_t i = 0; i < shelf->n; i++)
		if (strcmp(shelf->entries[i].hash, hash) == 0 &&
			strcmp(shelf->entries[i].revision, revision) == 0)
			return &shelf->entries[i];
	return NULL;
}

struct apsp_tables *apsp_shelf_get(
	const struct apsp_shelf *shelf, const char *revision, const char *hash)
{
	const struct apsp_shelf_entry *entry =
		apsp_shelf_find(shelf, revision, hash);

	return entry ? apsp_tables_ref(entry->tables) : NULL;
}

bool apsp_shelf_scrub(struct apsp_shelf *shelf, int blocks)
{
	size_t looked = 0;

	while (blocks > 0 && looked < shelf->n) {
		size_t i = shelf->scrubbing % shelf->n;

		if (apsp_tables_scrub(shelf->entries[i].tables, NULL) > 0) {
			blocks--;
			continue;
		}
		shelf->scrubbing = i + 1;
		looked++;
	}
	return blocks == 0;
}
