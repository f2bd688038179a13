/*
 * Files of tables that nobody is shown any more. A reader that began before may
 * finish with them, but its mapping keeps the disk full; so after a while the
 * file is cut, and a reader that is still there is refused, as it is where a
 * file is damaged (storage/tables/README.md, Tables are files).
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
 * Remove the file at path; tables (taken over, may be NULL) are its own, and
 * nobody new is given them. Never fails.
 */
void apsp_dropped_tables_add(struct apsp_dropped_tables *dropped,
	struct apsp_tables *tables, const char *path);

/*
 * Let go of those that nobody reads, and cut those whose time is over. Returns
 * after how many milliseconds to call again, or -1: there are none left.
 */
int apsp_dropped_tables_tend(struct apsp_dropped_tables *dropped);

/* When the store is closed: nobody reads any more. */
void apsp_dropped_tables_done(struct apsp_dropped_tables *dropped);

#endif
