/*
 * Rows of tables that are computed when they are asked for
 * (daemon/base/table_file.h, APSP_ON_DEMAND), while they are in memory.
 * storage/rows computes and keeps them. Readers of the tables look them up here
 * without a lock: a reader must hold the row (storage/rows/row_cache.h).
 */
#ifndef APSP_STORAGE_TABLES_DEMAND_ROWS_H
#define APSP_STORAGE_TABLES_DEMAND_ROWS_H

#include <stdatomic.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/base/table_file.h"

/* The rows of one vertex that are computed together. storage/rows adds members
   behind these. */
struct apsp_demand_row {
	/* apsp_demand_bytes() bytes; NULL: they are not computed yet */
	_Atomic(const unsigned char *) bytes;
};

struct apsp_demand_rows {
	/* for each vertex, its rows; NULL: nobody has asked for them */
	_Atomic(struct apsp_demand_row *) *of[APSP_N_DEMANDS];
	/* If `drop` is set, it is called when the tables are closed. */
	void (*drop)(struct apsp_demand_rows *rows);
	void *keeper; /* for the code that has set `drop` */
};

/* The caller ends *out with apsp_demand_rows_free(). APSP_ENOMEM. */
int apsp_demand_rows_new(uint64_t n_vertices, struct apsp_demand_rows **out,
	struct apsp_err *err);
void apsp_demand_rows_free(struct apsp_demand_rows *rows); /* accepts NULL */

/* Return the bytes of a section's row. NULL: nobody holds this row. */
const unsigned char *apsp_demand_rows_get(const struct apsp_demand_rows *rows,
	const struct apsp_table_header *header, enum apsp_section section,
	uint64_t row);

#endif
