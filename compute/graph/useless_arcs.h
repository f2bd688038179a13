/*
 * Arcs that are on no shortest path because another path between their ends is
 * shorter. The host finds some of them cheaply before V is computed (all of
 * them: compute/tables/README.md, Predecessors). In connectomes it finds half
 * of all arcs, in a random graph of 100 arcs a vertex three quarters.
 */
#ifndef APSP_COMPUTE_GRAPH_USELESS_ARCS_H
#define APSP_COMPUTE_GRAPH_USELESS_ARCS_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/graph/integers.h"
#include "compute/graph/lengths.h"
#include "compute/graph/root_paths.h"
#include "daemon/base/err.h"

/*
 * Whether a solve that follows arcs should search for useless ones first
 * (compute/arc_search.h).
 */
bool apsp_useless_arcs_pay(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers);

/*
 * Fill out_longer (n_arcs bytes): 1 if the path through the root is shorter
 * than the arc, else 0. paths were found with the same lengths in any scale.
 * APSP_ENOMEM.
 */
int apsp_useless_arcs_by_root(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers,
	const struct apsp_root_paths *paths, uint8_t *out_longer,
	struct apsp_err *err);

/*
 * The same, and also store 1 for each arc that is longer than a path of two
 * remaining arcs, unless there are so many such paths that the search would not
 * pay. paths may be NULL: then the first step is skipped. Takes about a
 * nanosecond of processor time for each path of two arcs. APSP_ENOMEM.
 */
int apsp_useless_arcs_find(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers,
	const struct apsp_root_paths *paths, uint8_t *out_longer,
	struct apsp_err *err);

#endif
