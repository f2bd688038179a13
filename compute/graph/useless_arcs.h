/*
 * Arcs that no shortest path takes, because a path of two other arcs is
 * shorter: found on the host before V, they are a cheap forecast of the arcs
 * that are not essential (compute/tables/README.md, Predecessors). In
 * connectomes they are a third to a half of all arcs.
 */
#ifndef APSP_COMPUTE_GRAPH_USELESS_ARCS_H
#define APSP_COMPUTE_GRAPH_USELESS_ARCS_H

#include <stdint.h>

#include "compute/graph/integers.h"
#include "compute/graph/lengths.h"
#include "daemon/base/err.h"

/* How many paths of two arcs the graph has: the work of a search. */
uint64_t apsp_useless_arcs_paths(const struct apsp_lengths *lengths);

/*
 * Fill out_longer (n_arcs bytes): 1 where a path of two arcs is shorter than
 * the arc, else 0. Blocks; takes about a nanosecond a path on each processor.
 * APSP_ENOMEM.
 */
int apsp_useless_arcs_find(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, uint8_t *out_longer,
	struct apsp_err *err);

#endif
