/*
 * Proves a group of four rows at a time, so that each arc is read once for all
 * four (compute/tables/README.md, Proof). The proof reads the real lengths and
 * shares no code with the algorithms.
 */
#ifndef APSP_COMPUTE_TABLES_ROW_GROUP_PROOF_H
#define APSP_COMPUTE_TABLES_ROW_GROUP_PROOF_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/graph/integers.h"
#include "compute/graph/lengths.h"
#include "compute/graph/root_widths.h"
#include "compute/row_strip.h"
#include "daemon/job/table_file.h"

enum {
	/* number of rows in a group. Each row has one lane (32 bits) of a
	   vector of 128 bits, which is the narrowest vector of x86-64 and
	   Arm. */
	APSP_ROW_GROUP = 4,
};

typedef int32_t apsp_row_group_lanes
	__attribute__((vector_size(APSP_ROW_GROUP * sizeof(int32_t))));

/* One column of the group: its cells in the four rows. */
struct apsp_row_group_cell {
	apsp_row_group_lanes tail; /* predecessors; -1: no predecessor */
	/* distances from the rows' sources to the column's vertex, as integers
	   of 30 bits */
	apsp_row_group_lanes value;
};

/* The facts that all groups share: the graph, and the types of the rows'
   elements. */
struct apsp_row_group_form {
	const struct apsp_lengths *lengths;   /* borrowed */
	const struct apsp_integers *integers; /* borrowed */
	/* the widths of the paths from and to the root, as ranks. NULL: the
	   rows do not have widths. Borrowed */
	const struct apsp_root_widths *root;
	/* 1 / integers->unit, or 0 if this quotient is too large for a
	   double */
	double per_unit;
	enum apsp_element distance; /* type of the rows' distances */
	/* every integer distance fits in 30 bits, and there are no
	   potentials */
	bool narrow;
	/* the proof walks along paths, because the rows' distances are not
	   integers of 30 bits */
	bool walks;
	/* the arcs with which rows are compared: all arcs, unless the caller
	   sets this member to the tight arcs (sampled_rows_proof.h);
	   borrowed */
	const struct apsp_lengths *arcs;
};

/* A group of up to four rows, and the scratch memory of one thread. In each
   array except `rows` and `stack`, the four values of a vertex are adjacent. */
struct apsp_row_group {
	const struct apsp_row_group_form *form; /* borrowed */
	size_t n; /* number of rows; each row has a lane of the vectors, and the
		     lanes from index `n` on hold no row */
	uint32_t sources[APSP_ROW_GROUP];
	/* `cells` and the arrays that are declared after it are owned. If
	   form->walks is false, only `cells` is used. */
	struct apsp_row_group_cell *cells;
	/* copies of the four rows of distances, one after another */
	char *rows;
	int64_t *values; /* distances that were found by walking the paths, as
			    integers */
	int64_t *last;	 /* lengths of the paths' last arcs, as integers */
	double *sums; /* distances that were found by walking the paths, as sums
			 of real lengths */
	double *lengths; /* real lengths of the paths' last arcs */
	uint32_t *stack;
};

struct apsp_row_group_form apsp_row_group_form_make(
	const struct apsp_lengths *lengths,
	const struct apsp_integers *integers,
	const struct apsp_root_widths *root, enum apsp_element v,
	enum apsp_element distance);

/* Make an empty group. Returns false if there is no memory. In both cases the
   caller ends *out with apsp_row_group_done(). `form` must outlive *out. */
bool apsp_row_group_init(
	const struct apsp_row_group_form *form, struct apsp_row_group *out);
void apsp_row_group_done(struct apsp_row_group *group);

/* Copy one row from the strip (row_strip.h) into a lane of the group. A lane is
   one element of each vector. The row's source is group->sources[lane]. */
void apsp_row_group_load(const struct apsp_row_group *group, size_t lane,
	const struct apsp_row_strip *strip);

/*
 * Prove the rows of a group. The group must have at least one row, and all its
 * rows must have been loaded. Returns 0 if all rows are right. Otherwise
 * returns 1 + the source of a row of the group: some row of the group is wrong,
 * but not always this one. Reads every arc of form->arcs once, or about twice
 * if paths are walked.
 */
uint32_t apsp_row_group_prove(struct apsp_row_group *group);

#endif
