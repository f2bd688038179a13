/*
 * In which order the rows of a closure can be made, each from those of its
 * successors: components by level, a level being one above the highest of its
 * successors'. The rows of a level do not need each other.
 */
#ifndef APSP_COMPUTE_CLOSURE_LEVELS_H
#define APSP_COMPUTE_CLOSURE_LEVELS_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/components.h"
#include "compute/lengths.h"
#include "daemon/base/err.h"

/* Places [first, first + n) of order. */
struct apsp_closure_step {
	uint32_t first;
	uint32_t n;
	uint64_t n_successors;
	bool chain; /* one after the other; else in any order */
};

/*
 * Components have ranks here: 0 is the last one in topological order. A row is
 * that of a component's first vertex. Arrays owned.
 */
struct apsp_closure_levels {
	uint32_t n;	      /* components */
	uint32_t *order;      /* ranks by level, those of 0 first */
	uint32_t *rows;	      /* rank → row */
	uint64_t *offsets;    /* rank → its first place in successors; + 1 */
	uint32_t *successors; /* rows, each once, nearest first */
	struct apsp_closure_step *steps;
	uint32_t n_steps;
};

/*
 * A step is a level, or a chain of levels of fewer than `narrow` rows each; of
 * at most most_successors unless it is one row. Linear time, but for sorting
 * successors. APSP_ENOMEM. The caller ends *out.
 */
int apsp_closure_levels_build(const struct apsp_lengths *lengths,
	const struct apsp_components *components, uint32_t narrow,
	uint64_t most_successors, struct apsp_closure_levels *out,
	struct apsp_err *err);
void apsp_closure_levels_done(struct apsp_closure_levels *levels);

#endif
