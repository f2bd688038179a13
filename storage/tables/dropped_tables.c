/*
 * Removed files that may still be read; see dropped_tables.h.
 */
#include "storage/tables/dropped_tables.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/clock.h"
#include "storage/tables/tables.h"

enum {
	LOOK_MS = 1000,
};

/* Keep tables with their file until the readers' time is over. */
static void entry_add(
	struct apsp_dropped_tables *dropped, struct apsp_tables *tables, int fd)
{
	struct apsp_dropped_tables_entry *larger =
		reallocarray(dropped->entries, dropped->n + 1, sizeof(*larger));

	if (!larger) {
		/* not truncated: readers keep the disk space until they
		   finish */
		apsp_tables_unref(tables);
		close(fd);
		return;
	}
	dropped->entries = larger;
	dropped->entries[dropped->n++] = (struct apsp_dropped_tables_entry){
		.tables = tables,
		.fd = fd,
		.until_ms = apsp_clock_ms() + dropped->grace_ms,
	};
}

void apsp_dropped_tables_add(struct apsp_dropped_tables *dropped,
	struct apsp_tables *tables, const char *path)
{
	int fd = -1;

	if (tables && apsp_tables_shared(tables))
		fd = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
	unlink(path); /* on failure the next start does it */
	if (fd >= 0)
		entry_add(dropped, tables, fd);
	else
		apsp_tables_unref(tables);
}

static void entry_end(struct apsp_dropped_tables_entry *entry)
{
	apsp_tables_unref(entry->tables);
	close(entry->fd);
}

int apsp_dropped_tables_tend(struct apsp_dropped_tables *dropped)
{
	int64_t now = apsp_clock_ms();
	size_t i = 0;

	while (i < dropped->n) {
		struct apsp_dropped_tables_entry *entry = &dropped->entries[i];
		bool read = apsp_tables_shared(entry->tables);

		if (read && now < entry->until_ms) {
			i++;
			continue;
		}
		if (read && ftruncate(entry->fd, 0) < 0) {
			i++; /* the disk fails: try again in the next call */
			continue;
		}
		entry_end(entry);
		*entry = dropped->entries[--dropped->n];
	}
	return dropped->n > 0 ? LOOK_MS : -1;
}

void apsp_dropped_tables_done(struct apsp_dropped_tables *dropped)
{
	for (size_t i = 0; i < dropped->n; i++)
		entry_end(&dropped->entries[i]);
	free(dropped->entries);
	memset(dropped, 0, sizeof(*dropped));
}
