/*
 * The proof of four rows at a time, so that each arc is read once for all four
 * (compute/tables/README.md, Proof). It reads the real lengths and shares no
 * code with the algorithms.
 */
#ifndef APSP_COMPUTE_TABLES_ROW_GROUP_PROOF_H
#define APSP_COMPUTE_TABLES_ROW_GROUP_PROOF_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/graph/integers.h"
#include "compute/graph/lengths.h"
#include "compute/row_strip.h"
#include "daemon/base/table_file.h"

enum {
	/* rows of a group: a vector of 128 bits, the narrowest of x86-64 and
	   Arm, has 4 lanes of 32 bits */
	APSP_ROW_GROUP = 4,
};

typedef int32_t apsp_row_group_lanes
	__attribute__((vector_size(APSP_ROW_GROUP * sizeof(int32_t))));

/* The cells of one column in the rows of a group. */
struct apsp_row_group_cell {
	apsp_row_group_lanes tail;  /* predecessors; -1: none */
	apsp_row_group_lanes value; /* distances as integers of 30 bits */
};

/* The graph and the rows' elements, common to all groups. */
struct apsp_row_group_form {
	const struct apsp_lengths *lengths;   /* borrowed */
	const struct apsp_integers *integers; /* borrowed */
	double per_unit; /* 1 / unit; 0: the quotient does not fit a double */
	enum apsp_element distance; /* element of the rows' distances */
	bool narrow;		    /* the integers of paths fit 30 bits */
	bool walks; /* paths are walked, because the rows' distances are not
		       integers of 30 bits */
};

/* Up to four rows, and the scratch of one thread. The four values of a vertex
   lie side by side in each array but `rows`. */
struct apsp_row_group {
	const struct apsp_row_group_form *form; /* borrowed */
	size_t n; /* number of rows; the other lanes are unused */
	uint32_t sources[APSP_ROW_GROUP];
	/* all arrays are owned; without walks, only cells is used */
	struct apsp_row_group_cell *cells;
	char *rows;	 /* copied rows of distances, one after another */
	int64_t *values; /* distances found by walking, as integers */
	int64_t *last;	 /* integers of the paths' last arcs */
	double *sums; /* distances found by walking, as sums of real lengths */
	double *lengths; /* real lengths of the paths' last arcs */
	uint32_t *stack;
};

/* v is the element of V, distance the element of the rows' distances. */
struct apsp_row_group_form apsp_row_group_form_make(
	const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, enum apsp_element v,
	enum apsp_element distance);

/* Returns false if there is no memory. In both cases the caller ends *out with
   apsp_row_group_done(). form must outlive *out. */
bool apsp_row_group_init(
	const struct apsp_row_group_form *form, struct apsp_row_group *out);
void apsp_row_group_done(struct apsp_row_group *group);

/* Copy the row of the source sources[lane] from the strip into the lane. */
void apsp_row_group_load(const struct apsp_row_group *group, size_t lane,
	const struct apsp_row_strip *strip);

/*
 * Prove the rows of a group, which has at least one row. The rows must have
 * been loaded. Returns 0 if all rows are right, else 1 + a source of the group,
 * although another row of the group may be the wrong one. Reads every arc once,
 * or about twice where paths are walked.
 */
uint32_t apsp_row_group_prove(struct apsp_row_group *group);

#endif
