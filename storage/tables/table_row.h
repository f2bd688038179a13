/*
 * Reads whole rows of a table file: each row is copied, checked and decoded, in
 * 1 to 2 ns for each vertex. The caller passes memory for the copy in `raw`: 8
 * bytes for each vertex. The other arrays have an element for each vertex. All
 * functions fail with APSP_EDAMAGED if the file is damaged.
 */
#ifndef APSP_STORAGE_TABLES_TABLE_ROW_H
#define APSP_STORAGE_TABLES_TABLE_ROW_H

#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/tables/tables.h"

/*
 * Read the distance source → v as the table holds it, for every v; INFINITY
 * means that there is no path. If lengths are whole numbers, `hops` gets the
 * paths' numbers of arcs, and UINT32_MAX where there is no path. If lengths are
 * real numbers, the table has no numbers of arcs, and `hops` is not changed.
 */
int apsp_table_row_distances(struct apsp_tables *tables, uint32_t source,
	void *raw, double *distance, uint32_t *hops, struct apsp_err *err);

/* Read the predecessor of every v on the path source → v; APSP_NO_PREDECESSOR
   (table_read.h) if there is none. */
int apsp_table_row_predecessors(struct apsp_tables *tables, uint32_t source,
	void *raw, uint32_t *predecessor, struct apsp_err *err);

#endif
