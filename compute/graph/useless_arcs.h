/*
 * Arcs that are on no shortest path because another path between their ends is
 * shorter. The host finds some of them cheaply before V is computed; once V
 * is known, all are found (compute/tables/README.md, Predecessors). In
 * connectomes it finds half of all arcs, in a random graph of 100 arcs a vertex
 * three quarters.
 */
#ifndef APSP_COMPUTE_GRAPH_USELESS_ARCS_H
#define APSP_COMPUTE_GRAPH_USELESS_ARCS_H

#include <stdint.h>

#include "compute/graph/integers.h"
#include "compute/graph/lengths.h"
#include "compute/graph/root_paths.h"
#include "daemon/base/err.h"

/*
 * Fill out_longer (n_arcs bytes): 1 for each arc that is longer than the path
 * through the root, and for each that is longer than a path of two remaining
 * arcs, else 0. The second step is left out if there are so many such paths
 * that it would not pay; the first one if paths is NULL. paths were found with
 * the same lengths in any scale. Takes about a nanosecond of processor time for
 * each path of two arcs. compute/arc_search.h says whether to call this.
 * APSP_ENOMEM.
 */
int apsp_useless_arcs_find(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers,
	const struct apsp_root_paths *paths, uint8_t *out_longer,
	struct apsp_err *err);

#endif
