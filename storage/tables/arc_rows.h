/*
 * Reads many of the arcs from which tables were computed: compressed sparse
 * rows, as table_file.h describes them. table_read.h reads single arcs.
 */
#ifndef APSP_STORAGE_TABLES_ARC_ROWS_H
#define APSP_STORAGE_TABLES_ARC_ROWS_H

#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/tables/tables.h"

/*
 * Copy the offsets of rows first to first + n - 1; there are n_vertices + 1.
 * The copied offsets ascend and are at most n_arcs; offset 0 is 0, and the last
 * one is n_arcs. APSP_EDAMAGED.
 */
int apsp_arc_rows_offsets(struct apsp_tables *tables, uint64_t first,
	uint64_t n, uint64_t *out, struct apsp_err *err);

/* Some arcs as arrays, which the caller owns. */
struct apsp_arc_rows {
	uint32_t *heads;
	double *weights; /* after parallel arcs were merged */
	double *lengths;
};

/*
 * Copy arcs first to first + n - 1. Heads are vertices, lengths are finite.
 * APSP_EDAMAGED.
 */
int apsp_arc_rows_arcs(struct apsp_tables *tables, uint64_t first, uint64_t n,
	const struct apsp_arc_rows *out, struct apsp_err *err);

#endif
