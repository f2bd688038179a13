/*
 * Open table files; see open_tables.h.
 */
#include "storage/tables/open_tables.h"

#include <stdlib.h>
#include <string.h>

void apsp_open_tables_done(struct apsp_open_tables *all)
{
	for (size_t i = 0; i < all->n; i++)
		apsp_tables_unref(all->entries[i].tables);
	free(all->entries);
	memset(all, 0, sizeof(*all));
}

int apsp_open_tables_add(struct apsp_open_tables *all, uint64_t id,
	const char *revision, const char *hash, struct apsp_tables *tables,
	struct apsp_err *err)
{
	struct apsp_open_tables_entry *entry;

	if (all->n == all->capacity) {
		size_t capacity = all->capacity ? all->capacity * 2 : 16;

		entry = reallocarray(all->entries, capacity, sizeof(*entry));
		if (!entry)
			return apsp_fail(
				err, APSP_ENOMEM, "no memory for tables");
		all->entries = entry;
		all->capacity = capacity;
	}
	entry = &all->entries[all->n++];
	memset(entry, 0, sizeof(*entry));
	entry->id = id;
	strncpy(entry->revision, revision, sizeof(entry->revision) - 1);
	strncpy(entry->hash, hash, sizeof(entry->hash) - 1);
	entry->tables = tables;
	return 0;
}

void apsp_open_tables_remove(struct apsp_open_tables *all, uint64_t id)
{
	for (size_t i = 0; i < all->n; i++) {
		if (all->entries[i].id != id)
			continue;
		apsp_tables_unref(all->entries[i].tables);
		all->entries[i] = all->entries[--all->n];
		return;
	}
}

const struct apsp_open_tables_entry *apsp_open_tables_find(
	const struct apsp_open_tables *all, const char *revision,
	const char *hash)
{
	for (size_t i = 0; i < all->n; i++)
		if (strcmp(all->entries[i].hash, hash) == 0 &&
			strcmp(all->entries[i].revision, revision) == 0)
			return &all->entries[i];
	return NULL;
}

struct apsp_tables *apsp_open_tables_get(const struct apsp_open_tables *all,
	const char *revision, const char *hash)
{
	const struct apsp_open_tables_entry *entry =
		apsp_open_tables_find(all, revision, hash);

	return entry ? apsp_tables_ref(entry->tables) : NULL;
}
