/*
 * Open table files; see open_tables.h.
 */
#include "storage/tables/open_tables.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/base/fixed_text.h"

void apsp_open_tables_done(struct apsp_open_tables *all)
{
	for (size_t i = 0; i < all->n; i++)
		apsp_tables_unref(all->entries[i].tables);
	free(all->entries);
	memset(all, 0, sizeof(*all));
}

/* A new entry without tables; NULL: no memory. */
static struct apsp_open_tables_entry *entry_add(struct apsp_open_tables *all,
	uint64_t id, const char *revision, const char *hash,
	struct apsp_err *err)
{
	struct apsp_open_tables_entry *entry;

	if (all->n == all->capacity) {
		size_t capacity = all->capacity ? all->capacity * 2 : 16;

		entry = reallocarray(all->entries, capacity, sizeof(*entry));
		if (!entry) {
			apsp_fail(err, APSP_ENOMEM, "no memory for tables");
			return NULL;
		}
		all->entries = entry;
		all->capacity = capacity;
	}
	entry = &all->entries[all->n];
	memset(entry, 0, sizeof(*entry));
	entry->id = id;
	if (!apsp_fixed_text_set(
		    entry->revision, sizeof(entry->revision), revision) ||
		!apsp_fixed_text_set(entry->hash, sizeof(entry->hash), hash)) {
		apsp_fail(err, APSP_EBUG, "the hash of tables is too long");
		return NULL;
	}
	all->n++;
	return entry;
}

int apsp_open_tables_add(struct apsp_open_tables *all, uint64_t id,
	const char *revision, const char *hash, struct apsp_tables *tables,
	struct apsp_err *err)
{
	struct apsp_open_tables_entry *entry =
		entry_add(all, id, revision, hash, err);

	if (!entry)
		return APSP_ENOMEM;
	entry->tables = tables;
	return 0;
}

int apsp_open_tables_add_closed(struct apsp_open_tables *all, uint64_t id,
	const char *revision, const char *hash, const struct apsp_err *trouble,
	struct apsp_err *err)
{
	struct apsp_open_tables_entry *entry =
		entry_add(all, id, revision, hash, err);

	if (!entry)
		return APSP_ENOMEM;
	entry->trouble = *trouble;
	return 0;
}

void apsp_open_tables_set(
	struct apsp_open_tables *all, uint64_t id, struct apsp_tables *tables)
{
	for (size_t i = 0; i < all->n; i++) {
		if (all->entries[i].id != id)
			continue;
		apsp_tables_unref(all->entries[i].tables);
		all->entries[i].tables = tables;
	}
}

struct apsp_tables *apsp_open_tables_take(
	struct apsp_open_tables *all, uint64_t id)
{
	for (size_t i = 0; i < all->n; i++) {
		struct apsp_tables *tables = all->entries[i].tables;

		if (all->entries[i].id != id)
			continue;
		all->entries[i] = all->entries[--all->n];
		return tables;
	}
	return NULL;
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
