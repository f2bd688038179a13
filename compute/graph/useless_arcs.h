/*
 * Arcs that no shortest path takes, because another path is shorter: found on
 * the host before V, they are a cheap forecast of the arcs that are not
 * essential (compute/tables/README.md, Predecessors). In connectomes they are
 * half of all arcs, in a random graph of 100 arcs a vertex three quarters.
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
 * Fill out_longer (n_arcs bytes): 1 where the path by way of the root is
 * shorter than the arc, else 0. paths are those of the same lengths, in any
 * scale. APSP_ENOMEM.
 */
int apsp_useless_arcs_by_root(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers,
	const struct apsp_root_paths *paths, uint8_t *out_longer,
	struct apsp_err *err);

/*
 * The same, and 1 where a path of two of the arcs that are left is shorter, if
 * there are few such paths beside the work of a solve. paths may be NULL: then
 * all arcs are left. Takes about a nanosecond of a processor for each path of
 * two arcs. APSP_ENOMEM.
 */
int apsp_useless_arcs_find(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers,
	const struct apsp_root_paths *paths, uint8_t *out_longer,
	struct apsp_err *err);

#endif
