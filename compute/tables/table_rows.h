/*
 * The tables on their way to the table file (daemon/base/table_file.h): rows of
 * V or of path sums and their predecessors are proved, written and added to
 * statistics, source after source.
 */
#ifndef APSP_COMPUTE_TABLES_TABLE_ROWS_H
#define APSP_COMPUTE_TABLES_TABLE_ROWS_H

#include <stdint.h>

#include "compute/bits.h"
#include "compute/graph/integers.h"
#include "compute/graph/lengths.h"
#include "compute/progress.h"
#include "compute/tables/file_map.h"
#include "compute/tables/sums.h"
#include "daemon/base/err.h"

struct apsp_table_rows; /* of one attempt to solve */

struct apsp_table_rows_config {
	const char *path;
	const char *algorithm;		    /* named in the header */
	const struct apsp_lengths *lengths; /* borrowed, as the next three */
	const struct apsp_integers *integers;
	const struct apsp_bits *closure;
	const struct apsp_bits *on_cycle;
	enum apsp_element element;  /* of V */
	enum apsp_element distance; /* V's own, or that of sums */
	bool betweenness;	    /* the file has betweenness */
	uint64_t room_bytes; /* the largest size of the file; 0: any size */
	uint32_t proof_seed; /* decides which rows are walked
				(sampled_rows_proof.h) */
};

/*
 * Create the file and reserve its space. The caller frees *out. The errors of
 * apsp_table_writer_open(); APSP_ENOSPACE also if the file would be larger than
 * room_bytes.
 */
int apsp_table_rows_open(const struct apsp_table_rows_config *config,
	struct apsp_table_rows **out, struct apsp_err *err);
void apsp_table_rows_free(struct apsp_table_rows *rows);

/*
 * Return the configuration of path sums for these rows, without arcs. width is
 * the result of apsp_parallel_width() when the rows were opened, for all loops
 * over rows. Distances are path sums if the kind of the integers is
 * APSP_DISTANCE_SUM, else V.
 */
struct apsp_sums_config apsp_table_rows_sums(
	const struct apsp_table_rows *rows);

/*
 * Set the arcs among which predecessors are searched: those whose byte of kept
 * is not 0. kept has n_arcs bytes and is borrowed until the last row.
 */
void apsp_table_rows_kept(struct apsp_table_rows *rows, const uint8_t *kept);

/*
 * Prove and append rows, the next ones in the order of sources
 * (every_row_proof.h, sampled_rows_proof.h). distances are path sums (sums.h)
 * or V, from which potentials are removed in place; predecessors have the
 * element that apsp_predecessor_element() names. Returns 0, or
 * APSP_VERDICT_TOO_NARROW. APSP_EPROOF: the rows are wrong; APSP_ENOSPACE,
 * APSP_EIO; APSP_EBUG: other rows are next.
 */
int apsp_table_rows_append(struct apsp_table_rows *rows,
	const struct apsp_row_strip *strip, struct apsp_err *err);

/*
 * Write arcs and closure, once, before the first row, while pages for rows are
 * made. Weights are not read afterwards, so the caller may free them by
 * apsp_lengths_drop_weights(). APSP_EPROOF: the
 * closure is wrong; APSP_ENOMEM, APSP_ENOSPACE, APSP_EIO.
 */
int apsp_table_rows_write_graph(
	struct apsp_table_rows *rows, struct apsp_err *err);

/*
 * After the last row, if the file has betweenness: compute it from the rows,
 * and write it. progress is in its phase. The errors of apsp_betweenness_run()
 * and of apsp_table_writer_append().
 */
int apsp_table_rows_betweenness(struct apsp_table_rows *rows,
	struct apsp_progress *progress, struct apsp_err *err);

/*
 * Write the statistics and finish the file. *out_left, unless out_left is NULL,
 * gets the file's mapping, which the caller closes (file_map.h) after the job
 * was reported as done: unmapping 4.6 GB takes a tenth of a second.
 * APSP_EPROOF: rows or statistics are wrong; APSP_ENOMEM, APSP_ENOSPACE,
 * APSP_EIO.
 */
int apsp_table_rows_finish(struct apsp_table_rows *rows,
	struct apsp_file_map *out_left, struct apsp_err *err);

#endif
