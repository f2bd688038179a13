/*
 * How the value of a path changes when an arc extends the path, for the host's
 * algorithms. kernels/semiring.clh does the same for kernels. Every algorithm
 * finds the least value of all paths between two vertices, so only
 * apsp_extend() depends on the kind of the distances (compute/graph/README.md,
 * Widest paths).
 *
 *	shortest   value of the path + integer of the arc
 *	widest     the larger of the two; the integer of an arc is its rank
 */
#ifndef APSP_COMPUTE_GRAPH_SEMIRING_H
#define APSP_COMPUTE_GRAPH_SEMIRING_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/job/table_file.h"

/* Return the value of a path that is extended by an arc, or by another path.
   For shortest paths, the caller makes sure that the sum does not overflow. */
static inline int64_t apsp_extend(bool widest, int64_t path, int64_t arc)
{
	if (widest)
		return path > arc ? path : arc;
	return path + arc;
}

/* Return the compiler option that chooses the semiring of a kernel. */
static inline const char *apsp_semiring_option(enum apsp_distance_kind kind)
{
	return kind == APSP_DISTANCE_WIDTH ? " -DEXTEND_MAX=1" : "";
}

#endif
