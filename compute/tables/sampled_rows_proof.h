/*
 * Proves some rows of the table, the sampled rows, in the form in which they
 * will be published. The proof shows that each distance is the length of its
 * path of predecessors, that no arc makes a shorter path, and that the
 * predecessors follow the tie rule (storage/tables/README.md, The tie rule).
 * Rows are proved in groups of four (row_group_proof.h).
 */
#ifndef APSP_COMPUTE_TABLES_SAMPLED_ROWS_PROOF_H
#define APSP_COMPUTE_TABLES_SAMPLED_ROWS_PROOF_H

#include "compute/graph/integers.h"
#include "compute/graph/lengths.h"
#include "compute/graph/root_widths.h"
#include "compute/parallel.h"
#include "compute/row_strip.h"
#include "daemon/base/err.h"
#include "daemon/job/table_file.h"

enum {
	/* With prove=seed, this number of rows of a bundle's table are drawn at
	   random and compared with all arcs. If one row in a hundred is wrong,
	   only one proof in 30,000 misses all wrong rows. */
	APSP_SAMPLED_ROWS_OF_BUNDLE = 1024,
};

/* The state of the proof. It has several groups of rows (row_group_proof.h),
   and each group takes up to 196 bytes for each vertex. */
struct apsp_sampled_rows_proof;

/*
 * Make a proof. `root` is NULL unless the rows have widths. `lengths`,
 * `integers` and `root` are borrowed until the caller frees *out. `v` is the
 * element type of the distance matrix V, and `distance` is the type of the
 * rows' distances. `seed` determines which rows are proved. At most `threads`
 * threads prove rows. There are `width` groups of rows, at most
 * APSP_PARALLEL_MAX. APSP_ENOMEM.
 */
int apsp_sampled_rows_proof_new(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers,
	const struct apsp_root_widths *root, enum apsp_element v,
	enum apsp_element distance, uint32_t seed, unsigned int threads,
	unsigned int width, struct apsp_sampled_rows_proof **out,
	struct apsp_err *err);
void apsp_sampled_rows_proof_free(struct apsp_sampled_rows_proof *proof);

/* Call this before the first strip of rows (row_strip.h) if the rows came in a
   bundle. The proof then draws `samples` rows of the table, and proves these
   rows and one row of each strip that has several rows. All rows are proved if
   the table is small, or if `samples` is at least the number of rows. */
void apsp_sampled_rows_proof_draw(
	struct apsp_sampled_rows_proof *proof, uint32_t samples);

/*
 * Compare rows only with the tight arcs, which are the arcs whose byte in
 * `kept` is not 0. Call this before the first strip of rows (row_strip.h), and
 * only if all rows of the table are proved. The other arcs can be skipped:
 * every_row_proof.h proves that each of them is longer than the distance in the
 * table between its ends, and this distance is the length of a path of tight
 * arcs. So no shortest path has a skipped arc. APSP_ENOMEM.
 */
int apsp_sampled_rows_proof_select(struct apsp_sampled_rows_proof *proof,
	const uint8_t *kept, struct apsp_err *err);

/*
 * Choose rows of a strip (row_strip.h) and prove them. All rows are chosen if
 * the table is small or if the host made the rows. Otherwise the proof chooses
 * one row of each strip that has several rows, and also seven rows from the
 * whole table. apsp_sampled_rows_proof_draw() changes this choice.
 *
 * apsp_sampled_rows_proof_begin() chooses rows. The caller passes *out to
 * apsp_parallel_parts(), which copies the chosen rows to groups. Then the
 * caller calls apsp_sampled_rows_proof_end(), which proves the groups if all of
 * them are full; otherwise the groups wait for rows of later strips. The memory
 * of the strip must not move before that call returns. The caller also proves
 * the whole strip by every_row_proof.h. The proof of a group reads every arc
 * once, or about twice if it walks paths (row_group_proof.h).
 *
 * APSP_EPROOF: a row is wrong; the message has the source of this row or of
 * another row in the same group.
 */
void apsp_sampled_rows_proof_begin(struct apsp_sampled_rows_proof *proof,
	const struct apsp_row_strip *strip, struct apsp_parallel_part *out);
int apsp_sampled_rows_proof_end(
	struct apsp_sampled_rows_proof *proof, struct apsp_err *err);

/* Call this after the last row. It proves the groups that are not full.
   APSP_EPROOF: a row is wrong; the message has the source of this row or of
   another row in the same group. */
int apsp_sampled_rows_proof_finish(
	struct apsp_sampled_rows_proof *proof, struct apsp_err *err);

#endif
