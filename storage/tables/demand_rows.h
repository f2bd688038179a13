/*
 * Finds rows by vertex, for tables whose rows are computed when they are asked
 * for (daemon/job/table_file.h, APSP_ON_DEMAND). Only rows that are in memory
 * at present are found. storage/rows has the rows computed and keeps them.
 * Readers of the tables look rows up here without a lock, so a reader must hold
 * each row that it reads (storage/rows/row_cache.h).
 */
#ifndef APSP_STORAGE_TABLES_DEMAND_ROWS_H
#define APSP_STORAGE_TABLES_DEMAND_ROWS_H

#include <stdatomic.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/job/table_file.h"

/* The rows of one vertex that are computed together. storage/rows keeps each of
   these structs at the beginning of a larger one. */
struct apsp_demand_row {
	/* NULL: the rows are not computed yet; otherwise apsp_demand_bytes()
	   bytes, aligned to 8 */
	_Atomic(const unsigned char *) bytes;
};

struct apsp_demand_rows {
	/* for each kind and each vertex, the rows of the vertex; NULL: these
	   rows are neither in memory nor wanted */
	_Atomic(struct apsp_demand_row *) *of[APSP_N_DEMANDS];
	/* Called when the tables are closed. May be NULL. */
	void (*drop)(struct apsp_demand_rows *rows);
	void *keeper; /* data for drop(), set by the code that sets `drop` */
};

/* The caller ends *out with apsp_demand_rows_free(). APSP_ENOMEM. */
int apsp_demand_rows_new(uint64_t n_vertices, struct apsp_demand_rows **out,
	struct apsp_err *err);
void apsp_demand_rows_free(struct apsp_demand_rows *rows); /* accepts NULL */

/* Return the rows of one kind for one vertex. The caller must hold these rows.
   NULL: the rows are not in memory. */
const unsigned char *apsp_demand_rows_find(const struct apsp_demand_rows *rows,
	enum apsp_demand demand, uint64_t vertex);

/* Return the bytes of row number `row` of the section. The caller must hold
   this row. NULL: the row is not in memory. */
const unsigned char *apsp_demand_rows_get(const struct apsp_demand_rows *rows,
	const struct apsp_table_header *header, enum apsp_section section,
	uint64_t row);

#endif
