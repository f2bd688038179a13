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
	uint32_t *successors; /* rows, each once */
	struct apsp_closure_step *steps;
	uint32_t n_steps;
};

struct apsp_closure_wanted {
	bool nearest_first; /* successors, in topological order: sorted */
	/* levels of fewer rows are chained to others like them */
	uint32_t narrow;
	uint64_t most_successors; /* of a step of several rows */
};

/*
 * Linear time, but for sorting. APSP_ENOMEM. The caller ends *out.
 */
int apsp_closure_levels_build(const struct apsp_lengths *lengths,
	const struct apsp_components *components,
	const struct apsp_closure_wanted *wanted,
	struct apsp_closure_levels *out, struct apsp_err *err);
void apsp_closure_levels_done(struct apsp_closure_levels *levels);

#endif
