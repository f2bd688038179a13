/*
 * Reads whole rows of a table file: each row is copied, checked and decoded, in
 * 1 to 2 ns for each vertex. `raw` is the caller's memory for the copy, 8 bytes
 * for each vertex. The other arrays have one element for each vertex. All
 * functions fail with APSP_EDAMAGED if the file is damaged.
 */
#ifndef APSP_STORAGE_TABLES_TABLE_ROW_H
#define APSP_STORAGE_TABLES_TABLE_ROW_H

#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/tables/tables.h"

/*
 * Read the distance source → v for every v, as the table holds it; INFINITY
 * means that there is no path. If lengths are whole numbers, `hops` gets the
 * number of arcs of each path, or UINT32_MAX if there is no path. If lengths
 * are real numbers, the table has no hop counts, and `hops` is not changed.
 */
int apsp_table_row_distances(struct apsp_tables *tables, uint32_t source,
	void *raw, double *distance, uint32_t *hops, struct apsp_err *err);

/* Read the predecessor of v on the path source → v for every v;
   APSP_NO_PREDECESSOR (table_read.h) if there is none. */
int apsp_table_row_predecessors(struct apsp_tables *tables, uint32_t source,
	void *raw, uint32_t *predecessor, struct apsp_err *err);

#endif
