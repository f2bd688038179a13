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
	/* rows of a group: as many as the narrowest vectors of x86-64 and of
	   Arm have lanes of 32 bits */
	APSP_ROW_GROUP = 4,
};

typedef int32_t apsp_row_group_lanes
	__attribute__((vector_size(APSP_ROW_GROUP * sizeof(int32_t))));

/* A vertex in all rows of a group. */
struct apsp_row_group_cell {
	apsp_row_group_lanes tail;  /* predecessors; -1: none */
	apsp_row_group_lanes value; /* distances as integers of 30 bits */
};

/* The graph and the rows' elements, common to all groups. */
struct apsp_row_group_form {
	const struct apsp_lengths *lengths;   /* borrowed */
	const struct apsp_integers *integers; /* borrowed */
	double per_unit; /* 0: the reciprocal does not fit a double */
	enum apsp_element distance; /* of the rows */
	bool narrow;		    /* the integers of paths fit 30 bits */
	bool walks; /* paths are walked, because distances are no such integers
		     */
};

/* Up to four rows, and the scratch of one thread. The four values of a vertex
   are neighbours. */
struct apsp_row_group {
	const struct apsp_row_group_form *form; /* borrowed */
	size_t n; /* rows; other lanes are unused */
	uint32_t sources[APSP_ROW_GROUP];
	/* all arrays are owned; only cells is used where no path is walked */
	struct apsp_row_group_cell *cells;
	char *rows;	 /* of distances, one lane after the other */
	int64_t *values; /* walked distances as integers */
	int64_t *last;	 /* the integer of each path's last arc */
	double *sums;	 /* walked distances as real lengths, for path sums */
	double *lengths; /* of each path's last arc, for path sums */
	uint32_t *stack;
};

/* v is the element of V, distance that of the rows. */
struct apsp_row_group_form apsp_row_group_form_make(
	const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, enum apsp_element v,
	enum apsp_element distance);

/* False: no memory. In both cases the caller ends *out with
   apsp_row_group_done(). form must outlive it. */
bool apsp_row_group_init(
	const struct apsp_row_group_form *form, struct apsp_row_group *out);
void apsp_row_group_done(struct apsp_row_group *group);

/* Copy the row of sources[lane], which the strip has, into a lane. */
void apsp_row_group_load(const struct apsp_row_group *group, size_t lane,
	const struct apsp_row_strip *strip);

/*
 * Prove the rows of a group, one at least, which have been loaded. Returns 0,
 * or 1 + a source of the group: its row, or another row of the group, is wrong.
 * Reads every arc once, or about twice where paths are walked.
 */
uint32_t apsp_row_group_prove(struct apsp_row_group *group);

#endif
