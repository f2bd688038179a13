/*
 * The arcs that tables were computed from, many at a time: compressed sparse
 * rows, as table_file.h describes them. table_read.h reads single arcs.
 */
#ifndef APSP_STORAGE_TABLES_ARC_ROWS_H
#define APSP_STORAGE_TABLES_ARC_ROWS_H

#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/tables/tables.h"

/*
 * Copy the offsets of rows first to first + n - 1; there are n_vertices + 1.
 * The offsets that are copied ascend and are at most n_arcs; offset 0 is 0 and
 * the last is n_arcs. APSP_EDAMAGED.
 */
int apsp_arc_rows_offsets(struct apsp_tables *tables, uint64_t first,
	uint64_t n, uint64_t *out, struct apsp_err *err);

/* Some arcs, side by side; the arrays are the caller's. */
struct apsp_arc_rows {
	uint32_t *heads;
	double *weights; /* merged */
	double *lengths;
};

/*
 * Copy arcs first to first + n - 1. Heads are vertices, lengths are finite.
 * APSP_EDAMAGED.
 */
int apsp_arc_rows_arcs(struct apsp_tables *tables, uint64_t first, uint64_t n,
	const struct apsp_arc_rows *out, struct apsp_err *err);

#endif
