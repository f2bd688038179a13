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
#include "compute/progress.h"
#include "compute/tables/file_map.h"
#include "compute/tables/row_check.h"
#include "daemon/base/err.h"

struct apsp_row_stats;
struct apsp_table_rows; /* one attempt's file */

struct apsp_table_rows_config {
	const char *path;
	const char *algorithm;		      /* named in the header */
	const struct apsp_lengths *lengths;   /* borrowed until the end */
	const struct apsp_integers *integers; /* likewise */
	const struct apsp_bits *closure;      /* likewise */
	const struct apsp_bits *on_cycle;     /* likewise */
	enum apsp_element element;	      /* of V */
	enum apsp_element distance;	      /* V's own, or that of sums */
	bool betweenness;		      /* the file is to have it */
	uint64_t room_bytes; /* the file may be so large; 0: any size */
	uint32_t proof_seed; /* decides which rows are walked (row_proof.h) */
};

/*
 * Create the file and reserve its space. The caller frees *out. Errors as
 * apsp_table_writer_open(); APSP_ENOSPACE also for a file that is too large.
 */
int apsp_table_rows_open(const struct apsp_table_rows_config *config,
	struct apsp_table_rows **out, struct apsp_err *err);
void apsp_table_rows_free(struct apsp_table_rows *rows);

/* The element of the file's distances. */
enum apsp_element apsp_table_rows_element(const struct apsp_table_rows *rows);

/* The threads that prove and write rows; others may use them between calls. */
struct apsp_team *apsp_table_rows_team(const struct apsp_table_rows *rows);

/* The statistics that the rows go to. */
struct apsp_row_stats *apsp_table_rows_stats(
	const struct apsp_table_rows *rows);

/* The lengths to be summed along paths; NULL: the distances are V. */
const struct apsp_lengths *apsp_table_rows_lengths(
	const struct apsp_table_rows *rows);

/* The integers that V adds up. */
const struct apsp_integers *apsp_table_rows_integers(
	const struct apsp_table_rows *rows);

/*
 * Predecessors are looked for only among the arcs whose byte of kept (n_arcs
 * bytes, borrowed until the last row) is not 0.
 */
void apsp_table_rows_kept(struct apsp_table_rows *rows, const uint8_t *kept);

/*
 * Append rows, the next ones in the order of sources, once they have proved
 * themselves (row_check.h, row_proof.h). distances are path sums (sums.h) or V,
 * from which potentials are removed in place; predecessors have the element
 * that apsp_predecessor_element() names. Returns 0, or APSP_VERDICT_TOO_NARROW.
 * APSP_EPROOF: the rows are wrong; APSP_ENOSPACE, APSP_EIO; APSP_EBUG: other
 * rows are next.
 */
int apsp_table_rows_append(struct apsp_table_rows *rows,
	const struct apsp_row_strip *strip, struct apsp_err *err);

/*
 * Write what does not depend on the rows, arcs and closure, once, before the
 * first row, while pages for rows are made. Weights are not read afterwards:
 * apsp_lengths_drop_weights() may free them. APSP_EPROOF: the closure is wrong;
 * APSP_ENOMEM, APSP_ENOSPACE, APSP_EIO.
 */
int apsp_table_rows_write_graph(
	struct apsp_table_rows *rows, struct apsp_err *err);

/*
 * After the last row, where the file is to have it: compute betweenness from
 * the rows, and write it. progress is in its phase. Errors as of
 * apsp_betweenness_run() and apsp_table_writer_append().
 */
int apsp_table_rows_betweenness(struct apsp_table_rows *rows,
	struct apsp_progress *progress, struct apsp_err *err);

/*
 * Write the statistics and finish the file. out_left, unless NULL, gets its
 * mapping, for the caller to close (file_map.h) when nobody waits any more: to
 * unmap 4.6 GB takes a tenth of a second. APSP_EPROOF: rows or statistics are
 * wrong; APSP_ENOMEM, APSP_ENOSPACE, APSP_EIO.
 */
int apsp_table_rows_finish(struct apsp_table_rows *rows,
	struct apsp_file_map *out_left, struct apsp_err *err);

#endif
