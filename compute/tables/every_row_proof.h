/*
 * The proof of every row on its way to the file: it is the row that the device
 * made, it agrees with the closure, and no arc from its source contradicts it
 * (compute/tables/README.md, Proof). sampled_rows_proof.h proves some rows
 * without relying on the device's marks.
 */
#ifndef APSP_COMPUTE_TABLES_EVERY_ROW_PROOF_H
#define APSP_COMPUTE_TABLES_EVERY_ROW_PROOF_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "compute/bits.h"
#include "compute/graph/integers.h"
#include "compute/graph/lengths.h"
#include "compute/parallel.h"
#include "compute/row_strip.h"
#include "compute/tables/row_marks.h"
#include "daemon/base/err.h"
#include "daemon/base/table_file.h"

struct apsp_every_row_proof {
	const struct apsp_lengths *lengths;   /* borrowed */
	const struct apsp_integers *integers; /* borrowed */
	const struct apsp_bits *closure;      /* borrowed */
	const uint8_t *kept; /* 0 for arcs left out; NULL: none is left out */
	enum apsp_element v; /* V's element */
	enum apsp_element distance;	 /* of the rows */
	struct apsp_row_weights weights; /* owned */
	/* of the strip between begin and end */
	const struct apsp_row_strip *strip;
	atomic_uint_least64_t worst; /* fault, then the complement of the row */
};

/* Fill the weights; all members before them are the caller's. APSP_ENOMEM. */
int apsp_every_row_proof_open(
	struct apsp_every_row_proof *proof, struct apsp_err *err);
void apsp_every_row_proof_done(struct apsp_every_row_proof *proof);

/* Whether the proof removes potentials from V, in place. */
bool apsp_every_row_proof_changes(const struct apsp_every_row_proof *proof);

/*
 * Prove the rows of a strip, and remove potentials: begin, run *out by
 * apsp_parallel_parts(), end. The strip must not move before the end. That
 * returns 0; APSP_VERDICT_TOO_NARROW: V is too narrow, or without potentials it
 * does not fit its element; APSP_EPROOF: the message says what is wrong, and
 * from which source.
 */
void apsp_every_row_proof_begin(struct apsp_every_row_proof *proof,
	const struct apsp_row_strip *strip, struct apsp_parallel_part *out);
int apsp_every_row_proof_end(
	const struct apsp_every_row_proof *proof, struct apsp_err *err);

#endif
