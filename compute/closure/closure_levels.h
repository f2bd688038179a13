/*
 * The order in which the rows of a closure can be made. Each row is made from
 * its successors' rows. A component's level is one above the highest level
 * among its successors, so the rows of one level do not need each other.
 */
#ifndef APSP_COMPUTE_CLOSURE_CLOSURE_LEVELS_H
#define APSP_COMPUTE_CLOSURE_CLOSURE_LEVELS_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/graph/components.h"
#include "compute/graph/lengths.h"
#include "daemon/base/err.h"

/* One step makes the rows of order[first … first + n - 1]. */
struct apsp_closure_step {
	uint32_t first;
	uint32_t n;
	uint64_t n_successors;
	bool chain; /* true: the rows must be made one after another; false: in
		       any order */
};

/*
 * Components are numbered by rank: rank 0 is the last in topological order. A
 * component's row is the row of its first vertex. Arrays are owned.
 */
struct apsp_closure_levels {
	uint32_t n;	      /* number of components */
	uint32_t *order;      /* ranks, sorted by level, level 0 first */
	uint32_t *rows;	      /* rank → row */
	uint64_t *offsets;    /* rank → index of its first successor; n + 1
				 elements */
	uint32_t *successors; /* rows of the successors; each occurs once in a
				 rank's list */
	struct apsp_closure_step *steps;
	uint32_t n_steps;
};

struct apsp_closure_wanted {
	bool nearest_first; /* list successors in topological order */
	uint32_t narrow; /* neighbouring levels that each have fewer rows than
			    this are made in one chain */
	uint64_t most_successors; /* if a step has several rows, they have at
				     most this many successors in all */
};

/*
 * Find the order. It takes linear time. If wanted->nearest_first is set,
 * sorting the successors takes additional time. The caller ends *out with
 * apsp_closure_levels_done(). APSP_ENOMEM.
 */
int apsp_closure_levels_build(const struct apsp_lengths *lengths,
	const struct apsp_components *components,
	const struct apsp_closure_wanted *wanted,
	struct apsp_closure_levels *out, struct apsp_err *err);
void apsp_closure_levels_done(struct apsp_closure_levels *levels);

#endif
