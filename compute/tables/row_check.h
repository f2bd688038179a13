/*
 * What every row passes on its way to the file: it is what the device made, it
 * agrees with the closure, and the arcs that predecessors were not looked for
 * among are too long to matter (compute/tables/README.md, Proof). row_proof.h
 * proves some rows altogether.
 */
#ifndef APSP_COMPUTE_TABLES_ROW_CHECK_H
#define APSP_COMPUTE_TABLES_ROW_CHECK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "compute/bits.h"
#include "compute/graph/integers.h"
#include "compute/graph/lengths.h"
#include "compute/row_strip.h"
#include "compute/tables/row_marks.h"
#include "compute/team.h"
#include "daemon/base/err.h"
#include "daemon/base/table_file.h"

struct apsp_row_check {
	const struct apsp_lengths *lengths; /* borrowed, as the next two */
	const struct apsp_integers *integers;
	const struct apsp_bits *closure;
	const uint8_t *kept;	    /* 0 for arcs left out; NULL: none is */
	enum apsp_element v;	    /* V's element */
	enum apsp_element distance; /* of the rows */
	struct apsp_row_weights weights; /* owned */
};

/* Fill the weights; all other members are the caller's. APSP_ENOMEM. */
int apsp_row_check_open(struct apsp_row_check *check, struct apsp_err *err);
void apsp_row_check_done(struct apsp_row_check *check);

/* Whether the check removes potentials from V, in place. */
bool apsp_row_check_changes(const struct apsp_row_check *check);

/* Rows that are being checked. */
struct apsp_row_checking {
	struct apsp_team_part part; /* what threads have to do */
	const struct apsp_row_check *check;
	const struct apsp_row_strip *strip;
	atomic_uint_least64_t worst; /* fault, then the complement of the row */
};

/*
 * Check the rows of a strip, and remove potentials: begin, run out->part on the
 * team (team.h), end. All arguments stay where they are until the end, which
 * returns 0; APSP_VERDICT_TOO_NARROW: V is too narrow, or without potentials it
 * does not fit its element; APSP_EPROOF: the message says what is wrong, and
 * from which source.
 */
void apsp_row_check_begin(const struct apsp_row_check *check,
	const struct apsp_row_strip *strip, struct apsp_row_checking *out);
int apsp_row_check_end(
	const struct apsp_row_checking *checking, struct apsp_err *err);

#endif
