/*
 * Proves every row that is written to the file. The proof shows three things:
 * the row has not changed since it was made, it agrees with the closure, and no
 * arc from the row's source contradicts it (compute/tables/README.md, Proof).
 * sampled_rows_proof.h proves some rows in another way, without the device's
 * checksums.
 */
#ifndef APSP_COMPUTE_TABLES_EVERY_ROW_PROOF_H
#define APSP_COMPUTE_TABLES_EVERY_ROW_PROOF_H

#include <stdatomic.h>
#include <stdint.h>

#include "compute/bits.h"
#include "compute/graph/integers.h"
#include "compute/graph/lengths.h"
#include "compute/parallel.h"
#include "compute/row_strip.h"
#include "compute/tables/row_marks.h"
#include "compute/tables/tail_tree.h"
#include "daemon/base/err.h"
#include "daemon/job/table_file.h"

/* The caller sets all members that are declared above `weights`, and
   initialises `weights` by apsp_row_weights_init(). */
struct apsp_every_row_proof {
	const struct apsp_lengths *lengths;   /* borrowed */
	const struct apsp_integers *integers; /* borrowed */
	const struct apsp_bits *closure;      /* borrowed */
	/* for each arc, 1 if the search for predecessors includes the arc, else
	   0; NULL: the search includes all arcs */
	const uint8_t *kept;
	enum apsp_element v;	    /* element type of the distance matrix V */
	enum apsp_element distance; /* type of the rows' distances */
	/* true: the rows come from a table file, so their distances have no
	   potentials that must be removed */
	bool bare;
	struct apsp_tail_tree tree;	    /* the object that proves rows of
					       widths (tail_tree.h); owned */
	struct apsp_row_weights weights;    /* owned */
	const struct apsp_row_strip *strip; /* the rows that are being proved */
	/* The worst fault found so far. The upper half is the fault, a number
	   of `enum fault` in every_row_proof.c. The lower half is the bitwise
	   complement of the row's number in the strip, so that of several rows
	   with this fault, the first row is reported. */
	atomic_uint_least64_t worst;
};

/*
 * Prove the rows of a strip in three steps: call apsp_every_row_proof_begin(),
 * pass *out to apsp_parallel_parts(), and call apsp_every_row_proof_end(). The
 * memory of the strip must not move before the last call returns. If the
 * integer distances have potentials, apsp_every_row_proof_begin() proves the
 * rows itself, on `width` threads, and removes the potentials in place; then
 * *out has no tasks.
 *
 * apsp_every_row_proof_end() returns 0 if all rows are right. It returns
 * APSP_VERDICT_TOO_NARROW if an integer distance does not fit the element type
 * of the distance matrix, before or after the potentials are removed.
 * APSP_EPROOF: a row is wrong; the message has the fault and the source.
 */
void apsp_every_row_proof_begin(struct apsp_every_row_proof *proof,
	const struct apsp_row_strip *strip, unsigned int width,
	struct apsp_parallel_part *out);
int apsp_every_row_proof_end(
	const struct apsp_every_row_proof *proof, struct apsp_err *err);

/* For each arc e from vertex i, set kept[e] to 0 if the arc is longer than row
   i's path to the arc's head, else to 1. The row may have wrong values. */
void apsp_every_row_proof_keep(const struct apsp_every_row_proof *proof,
	uint32_t i, const void *row, const void *predecessors, uint8_t *kept);

#endif
