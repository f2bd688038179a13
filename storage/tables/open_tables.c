/*
 * Open table files; see open_tables.h.
 */
#include "storage/tables/open_tables.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/base/array.h"

void apsp_open_tables_done(struct apsp_open_tables *all)
{
	for (size_t i = 0; i < all->n; i++) {
		apsp_tables_unref(all->entries[i].tables);
		apsp_tables_unref(all->entries[i].checking);
	}
	free(all->entries);
	memset(all, 0, sizeof(*all));
}

int apsp_open_tables_add(struct apsp_open_tables *all,
	const struct apsp_open_tables_entry *entry, struct apsp_err *err)
{
	int r = apsp_array_reserve(&all->entries, all->n + 1, &all->capacity,
		&(struct apsp_array_growth){
			sizeof(*all->entries), 16, "tables", NULL},
		err);

	if (r < 0)
		return r;
	all->entries[all->n++] = *entry;
	return 0;
}

struct apsp_open_tables_entry *apsp_open_tables_get(
	struct apsp_open_tables *all, uint64_t id)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->entries[i].id == id)
			return &all->entries[i];
	return NULL;
}

struct apsp_tables *apsp_open_tables_take(
	struct apsp_open_tables *all, uint64_t id)
{
	struct apsp_open_tables_entry *entry = apsp_open_tables_get(all, id);
	struct apsp_tables *tables;

	if (!entry)
		return NULL;
	tables = entry->tables;
	apsp_tables_unref(entry->checking);
	/* the last entry takes its place, but entries that were not checked
	   stay behind n_scrubbed */
	if ((size_t)(entry - all->entries) < all->n_scrubbed) {
		*entry = all->entries[--all->n_scrubbed];
		entry = &all->entries[all->n_scrubbed];
	}
	*entry = all->entries[--all->n];
	return tables;
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
