/*
 * The proof of four rows whose distances are no integers of 30 bits: their
 * paths are walked by their predecessors (compute/tables/README.md, Proof).
 */
#ifndef APSP_COMPUTE_TABLES_WALK_PROOF_H
#define APSP_COMPUTE_TABLES_WALK_PROOF_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/tables/arc_proof.h"
#include "daemon/base/table_file.h"

/* The scratch of one thread; lanes of a vertex lie side by side. */
struct apsp_walk_proof {
	const struct apsp_proof_arcs *arcs; /* borrowed */
	enum apsp_element distance;	    /* of the rows */
	bool narrow;			    /* integers of paths fit 30 bits */
	/* owned, as all that follow */
	char *rows;	 /* of distances, a lane after the other */
	int64_t *values; /* distances in integers */
	int64_t *last;	 /* of each path's last arc */
	double *sums;	 /* the same in real lengths, where rows are such */
	double *lengths;
	uint32_t *stack;
};

/* False: no memory. The caller ends *out with apsp_walk_proof_done() either
   way. */
bool apsp_walk_proof_init(const struct apsp_proof_arcs *arcs,
	enum apsp_element distance, bool narrow, struct apsp_walk_proof *out);
void apsp_walk_proof_done(struct apsp_walk_proof *walk);

/* Where a lane's row of distances goes. */
void *apsp_walk_proof_row(const struct apsp_walk_proof *walk, size_t lane);

/*
 * Walk all paths of the rows from such sources by the cells' tails, whose
 * values are scratch. Returns 0, or a source whose row is wrong, or one of
 * those beside it, and 1. Takes about two looks at every arc.
 */
uint32_t apsp_walk_proof_rows(const struct apsp_walk_proof *walk,
	struct apsp_proof_cell *cells,
	const uint32_t sources[APSP_PROOF_LANES]);

#endif
