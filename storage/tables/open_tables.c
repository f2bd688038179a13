/*
 * Keeps the list of the store's table files; see open_tables.h.
 */
#include "storage/tables/open_tables.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/array.h"
#include "daemon/base/auto.h"
#include "daemon/base/clock.h"
#include "storage/tables/table_name.h"
#include "storage/tables/tables.h"

enum {
	TEND_MS = 1000, /* milliseconds between two calls of
			   apsp_open_tables_tend() */
};

static void dropped_end(struct apsp_dropped_tables *dropped)
{
	apsp_tables_unref(dropped->tables);
	close(dropped->fd);
}

void apsp_open_tables_done(struct apsp_open_tables *all)
{
	for (size_t i = 0; i < all->n; i++) {
		apsp_tables_unref(all->entries[i].tables);
		apsp_tables_unref(all->entries[i].checking);
	}
	for (size_t i = 0; i < all->n_dropped; i++)
		dropped_end(&all->dropped[i]);
	free(all->dir);
	free(all->entries);
	free(all->dropped);
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
	all->entries[all->n] = *entry;
	all->entries[all->n].tables = NULL;
	apsp_open_tables_serve(all, &all->entries[all->n++], entry->tables);
	return 0;
}

void apsp_open_tables_serve(struct apsp_open_tables *all,
	struct apsp_open_tables_entry *entry, struct apsp_tables *tables)
{
	const struct apsp_tables *earlier = entry->tables;

	atomic_fetch_add(&all->n_served, (tables != NULL) - (earlier != NULL));
	atomic_fetch_add(&all->served_bytes,
		(tables ? tables->header.file_size : 0) -
			(earlier ? earlier->header.file_size : 0));
	entry->tables = tables;
}

struct apsp_open_tables_entry *apsp_open_tables_get(
	struct apsp_open_tables *all, uint64_t id)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->entries[i].id == id)
			return &all->entries[i];
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

/* Remove an entry. Returns the entry's tables, or NULL if the entry has no
   tables. The caller gets the entry's reference to the tables. */
static struct apsp_tables *entry_remove(
	struct apsp_open_tables *all, struct apsp_open_tables_entry *entry)
{
	struct apsp_tables *tables = entry->tables;

	apsp_open_tables_serve(all, entry, NULL);
	apsp_tables_unref(entry->checking);
	/*
	 * The entries that the scrub has checked come first in the list, and
	 * must stay first. If the removed entry is one of them, move the last
	 * checked entry into its place. Then move the last entry of the list
	 * into the place that has become free.
	 */
	if ((size_t)(entry - all->entries) < all->scrub.n_checked) {
		*entry = all->entries[--all->scrub.n_checked];
		entry = &all->entries[all->scrub.n_checked];
	}
	*entry = all->entries[--all->n];
	return tables;
}

static bool is_shared(const struct apsp_tables *tables)
{
	return atomic_load_explicit(&tables->n_refs, memory_order_acquire) > 1;
}

void apsp_open_tables_drop(struct apsp_open_tables *all, uint64_t id)
{
	APSP_AUTO(apsp_free) char *path = NULL;
	struct apsp_open_tables_entry *entry = apsp_open_tables_get(all, id);
	struct apsp_tables *tables = entry ? entry_remove(all, entry) : NULL;
	struct apsp_dropped_tables *larger = NULL;
	int fd = -1;

	path = apsp_table_name_path(all->dir, id);
	if (path && tables && is_shared(tables))
		fd = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
	/* if the file cannot be removed, go on: the next start of the daemon
	   removes it */
	if (path)
		unlink(path);
	if (fd >= 0)
		larger = reallocarray(
			all->dropped, all->n_dropped + 1, sizeof(*larger));
	if (larger) {
		all->dropped = larger;
		larger[all->n_dropped++] = (struct apsp_dropped_tables){
			.tables = tables,
			.fd = fd,
			.until_ms = apsp_clock_ms() + all->grace_ms,
			.held_until_ms = apsp_clock_ms() + all->held_grace_ms,
		};
		return;
	}
	/* The file is not in the list `dropped`. Either it has no readers, or
	   it could not be opened or added to the list. In the second case, the
	   file is not truncated later, and its disk space stays in use until
	   its readers finish. */
	apsp_tables_unref(tables);
	if (fd >= 0)
		close(fd);
}

int apsp_open_tables_tend(struct apsp_open_tables *all)
{
	int64_t now = apsp_clock_ms();
	size_t i = 0;

	while (i < all->n_dropped) {
		struct apsp_dropped_tables *dropped = &all->dropped[i];
		/* the time at which the readers of the removed file must have
		   finished */
		int64_t until_ms =
			atomic_load_explicit(&dropped->tables->n_holds,
				memory_order_acquire) > 0
				? dropped->held_until_ms
				: dropped->until_ms;

		/* if the file still has readers after this time, truncate it;
		   if this fails, the next call tries again */
		if (is_shared(dropped->tables) &&
			(now < until_ms || ftruncate(dropped->fd, 0) < 0)) {
			i++;
			continue;
		}
		dropped_end(dropped);
		*dropped = all->dropped[--all->n_dropped];
	}
	return all->n_dropped > 0 ? TEND_MS : -1;
}
