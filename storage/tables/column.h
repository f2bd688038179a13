/*
 * The values of the paths from all vertices to one vertex, the target. Columns
 * exist only for tables whose rows are computed when a request needs them. The
 * values are computed from a row of the kind APSP_DEMAND_COLUMN
 * (daemon/job/table_file.h). They equal the values in the rows of the sources,
 * bit for bit, because rows and columns both add the lengths of a path from its
 * source on.
 */
#ifndef APSP_STORAGE_TABLES_COLUMN_H
#define APSP_STORAGE_TABLES_COLUMN_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/auto.h"
#include "daemon/base/err.h"
#include "storage/tables/tables.h"

struct apsp_column;

/* Values of the path from one vertex to the target. */
struct apsp_column_cell {
	double distance;      /* INFINITY: no path */
	uint32_t hops;	      /* UINT32_MAX: no path */
	uint32_t predecessor; /* the vertex before the target on the path;
				 APSP_NO_PREDECESSOR: there is none */
	bool reachable;	      /* whether there is a path */
};

/* Return an upper bound of the bytes that a column takes. */
uint64_t apsp_column_bytes(const struct apsp_tables *tables);

/*
 * Make the column of a target. Until this call returns, the caller must hold
 * the target's row of the kind APSP_DEMAND_COLUMN (storage/rows/row_cache.h).
 * The column does not use that row later. Takes 10 to 100 ns for each vertex,
 * and reads all arcs. The caller ends *out with apsp_column_free().
 * APSP_EDAMAGED: the tables are damaged. APSP_ENOMEM.
 */
int apsp_column_new(struct apsp_tables *tables, uint32_t target,
	struct apsp_column **out, struct apsp_err *err);
void apsp_column_free(struct apsp_column *column); /* accepts NULL */
APSP_AUTO_DEFINE(apsp_column_end, struct apsp_column, apsp_column_free);

/* Return the values of the path from `source`. If lengths are real numbers,
   this call adds the lengths of the path, so the time is O(hops). */
struct apsp_column_cell apsp_column_get(
	const struct apsp_column *column, uint32_t source);

#endif
