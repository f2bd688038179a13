/*
 * The tables' content on its way to the table file: rows of V or of path sums
 * with their predecessors, source after source, become the elements of the file
 * (daemon/base/table_file.h).
 */
#ifndef APSP_COMPUTE_TABLES_TABLE_ROWS_H
#define APSP_COMPUTE_TABLES_TABLE_ROWS_H

#include <stdint.h>

#include "compute/bits.h"
#include "compute/graph/integers.h"
#include "compute/graph/lengths.h"
#include "daemon/base/err.h"

struct apsp_table_rows; /* one attempt's file */

struct apsp_table_rows_config {
	const char *path;
	const char *algorithm;		      /* named in the header */
	const struct apsp_lengths *lengths;   /* borrowed until the end */
	const struct apsp_integers *integers; /* likewise */
	enum apsp_element element;	      /* of V */
	enum apsp_precision precision;	      /* of SUM distances */
};

/*
 * Create the file and reserve its space. The caller frees *out. Errors as
 * apsp_table_writer_open().
 */
int apsp_table_rows_open(const struct apsp_table_rows_config *config,
	struct apsp_table_rows **out, struct apsp_err *err);
void apsp_table_rows_free(struct apsp_table_rows *rows);

/* The element of the file's distances: V's own, or that of SUM distances. */
enum apsp_element apsp_table_rows_element(const struct apsp_table_rows *rows);

/* The lengths to be summed along paths; NULL: the distances are V. */
const struct apsp_lengths *apsp_table_rows_lengths(
	const struct apsp_table_rows *rows);

/*
 * Append n_rows rows, of the sources from `first` on. distances are path sums
 * (sums.h) or V, from which potentials are removed in place; predecessors have
 * the element that apsp_predecessor_element() names. Returns 0, or 1 if V
 * without potentials does not fit its element and a wider one must be tried.
 * APSP_EOVERFLOW: a path sum exceeds its element; APSP_ENOSPACE, APSP_EIO.
 */
int apsp_table_rows_append(struct apsp_table_rows *rows, uint32_t first,
	uint32_t n_rows, void *distances, const void *predecessors,
	struct apsp_err *err);

/*
 * Write the arcs, once, before apsp_table_rows_finish(). Weights are not read
 * afterwards: apsp_lengths_drop_weights() may free them.
 */
int apsp_table_rows_write_arcs(
	struct apsp_table_rows *rows, struct apsp_err *err);

/* Write the closure, its transpose and on_cycle, and finish the file. */
int apsp_table_rows_finish(struct apsp_table_rows *rows,
	const struct apsp_bits *closure, const struct apsp_bits *on_cycle,
	struct apsp_err *err);

#endif
