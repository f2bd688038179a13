/*
 * The condensation of a graph: the graph of its components, which has no
 * cycles. The condensation says in which order the rows of the closure can be
 * made. Each component has one row. The successors of a component are the
 * components to which it has arcs. The row of a component is made from the rows
 * of its successors. The level of a component is one above the highest level
 * among its successors, or 0 if the component has no successors. So no row of a
 * level is made from another row of the same level.
 */
#ifndef APSP_COMPUTE_CLOSURE_CONDENSATION_H
#define APSP_COMPUTE_CLOSURE_CONDENSATION_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/graph/components.h"
#include "compute/graph/lengths.h"
#include "daemon/base/err.h"

/* A step makes the rows of n components. The ranks of these components are
   order[first] to order[first + n - 1] (struct apsp_condensation). */
struct apsp_condensation_step {
	uint32_t first;
	uint32_t n;
	uint64_t n_successors;
	bool chain; /* true: the rows must be made one after another; false: in
		       any order */
};

/*
 * Components are numbered by rank: rank 0 is the last component in topological
 * order. A component's row is the row of its first vertex. The struct owns its
 * arrays.
 */
struct apsp_condensation {
	uint32_t n;	 /* number of components */
	uint32_t *order; /* the ranks of all components, sorted by level; level
			    0 is first */
	/* rows[k] says which row belongs to the component of rank k */
	uint32_t *rows;
	/* offsets[k] is the index in `successors` of the first successor of the
	   component of rank k; n + 1 elements */
	uint64_t *offsets;
	/* the row numbers of the successors of the component of rank 0, then of
	   rank 1, and so on; each list has no duplicates */
	uint32_t *successors;
	struct apsp_condensation_step *steps;
	uint32_t n_steps;
};

struct apsp_condensation_wanted {
	/* true: list the successors of a component in topological order */
	bool nearest_first;
	/* a level with fewer rows than this number is narrow: one step makes
	   the rows of several consecutive narrow levels, one row after
	   another */
	uint32_t narrow;
	/* Upper bound of the size of a step (struct apsp_condensation_step).
	   The size is the number of the step's rows, plus the number of
	   successors of all these rows. A step of one row is allowed to be
	   larger. */
	uint64_t most_successors;
};

/*
 * Build the condensation in linear time, plus the time for sorting the
 * successors if wanted->nearest_first is set. The caller ends *out with
 * apsp_condensation_done(). APSP_ENOMEM.
 */
int apsp_condensation_build(const struct apsp_lengths *lengths,
	const struct apsp_components *components,
	const struct apsp_condensation_wanted *wanted,
	struct apsp_condensation *out, struct apsp_err *err);
void apsp_condensation_done(struct apsp_condensation *condensation);

#endif
