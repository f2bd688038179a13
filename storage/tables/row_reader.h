/*
 * Reads rows of the tables, from one source to many targets, as arrays. The
 * distance of a pair equals the distance of apsp_lookup_path() bit for bit, so
 * that cells, paths, rows and matrices agree. If the table holds a rounded
 * distance, the lengths of the path are added once more in float64
 * (storage/tables/README.md, Rows).
 */
#ifndef APSP_STORAGE_TABLES_ROW_READER_H
#define APSP_STORAGE_TABLES_ROW_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/auto.h"
#include "daemon/base/err.h"
#include "storage/tables/table_read.h"
#include "storage/tables/tables.h"

#define APSP_NO_HOPS UINT32_MAX

/* The values that a row can have, as flags that can be combined. Rows of a
   table of widest paths can have only APSP_ROW_WIDTH and APSP_ROW_REACHABLE.
   Rows of other tables cannot have APSP_ROW_WIDTH. */
enum apsp_row_value {
	APSP_ROW_DISTANCE = 1,
	APSP_ROW_HOPS = 2,
	APSP_ROW_PREDECESSOR = 4,
	APSP_ROW_REACHABLE = 8,
	/* Round distances to the type (float32 or float64) that the file has
	   for distances. If the file holds no distances, round to the type that
	   it would have. Without this flag, distances of real lengths are
	   float64 sums. */
	APSP_ROW_ROUNDED = 16,
	/* the value is not 32, because api/tables/table_question.h uses 32 for
	   another flag */
	APSP_ROW_WIDTH = 64,
	/* Read values from the columns of the targets (column.h) instead of the
	   rows of the sources. Use this flag only for tables whose rows are
	   computed on demand, and only with given targets. */
	APSP_ROW_BY_COLUMN = 128,
};

/* One row, as arrays with one element for each target. An array is NULL if its
   value was not requested. All arrays are borrowed. */
struct apsp_row {
	const double *distance;	     /* INFINITY: no path */
	const uint32_t *hops;	     /* APSP_NO_HOPS: no path */
	const uint32_t *predecessor; /* APSP_NO_PREDECESSOR: none */
	const bool *reachable;
	const double *width; /* 0: no path; INFINITY: the source itself */
};

struct apsp_row_reader;

/* Return an upper bound of the bytes that a reader of rows with n_targets
   targets takes; n_targets is 0 if all vertices are targets. `one_row`: the
   reader reads only one row. */
uint64_t apsp_row_reader_bytes(
	const struct apsp_tables *tables, size_t n_targets, bool one_row);

/* Return an upper bound of the bytes of a reader with APSP_ROW_BY_COLUMN. */
uint64_t apsp_row_reader_columns_bytes(
	const struct apsp_tables *tables, size_t n_targets);

/*
 * Make a reader of rows with n_targets targets, in the order of `targets`
 * (borrowed). If `targets` is NULL, all vertices are targets, in the order of
 * their indices. `values` is a set of enum apsp_row_value. `tables` is
 * borrowed. The caller ends *out with apsp_row_reader_free(). APSP_ENOMEM.
 */
int apsp_row_reader_new(struct apsp_tables *tables, unsigned int values,
	const uint32_t *targets, size_t n_targets, struct apsp_row_reader **out,
	struct apsp_err *err);
void apsp_row_reader_free(struct apsp_row_reader *reader);
APSP_AUTO_DEFINE(
	apsp_row_reader_end, struct apsp_row_reader, apsp_row_reader_free);

/*
 * Read the row of a source. The row is valid until the next call. Takes 10 to
 * 100 ns for each vertex; if there are few targets, the time is O(targets ·
 * hops). Returns 0 if the row is read. With APSP_ROW_BY_COLUMN, each of the
 * first calls only makes one column and returns 1; then call again.
 * APSP_EDAMAGED: the tables are damaged. APSP_ENOMEM.
 */
int apsp_row_reader_read(struct apsp_row_reader *reader, uint32_t source,
	struct apsp_row *out, struct apsp_err *err);

#endif
