/*
 * Files of tables that are no longer shown to requests. A reader that began
 * earlier may finish with them, but its mapping keeps their disk space in use.
 * So after a while the file is truncated, and readers that remain fail as with
 * a damaged file (storage/tables/README.md, Tables are files).
 *
 * On the writer thread.
 */
#ifndef APSP_STORAGE_TABLES_DROPPED_TABLES_H
#define APSP_STORAGE_TABLES_DROPPED_TABLES_H

#include <stddef.h>
#include <stdint.h>

enum {
	APSP_DROPPED_TABLES_GRACE_MS = 60000, /* for readers, by default */
};

struct apsp_tables;

struct apsp_dropped_tables_entry {
	struct apsp_tables *tables; /* holds one reference */
	int fd;			    /* the removed file, to be cut */
	int64_t until_ms;	    /* monotonic */
};

struct apsp_dropped_tables {
	struct apsp_dropped_tables_entry *entries; /* owned, in no order */
	size_t n;
	int grace_ms; /* for readers */
};

/*
 * Remove the file at path. tables (taken over, may be NULL) are those of this
 * file; no new reader can find them. Never fails.
 */
void apsp_dropped_tables_add(struct apsp_dropped_tables *dropped,
	struct apsp_tables *tables, const char *path);

/*
 * Close the files without readers, and truncate those whose readers' time is
 * over. Returns the milliseconds until the next call, or -1: no file is left.
 */
int apsp_dropped_tables_tend(struct apsp_dropped_tables *dropped);

/* Close all files, when the store is closed. No reader may be left. */
void apsp_dropped_tables_done(struct apsp_dropped_tables *dropped);

#endif
