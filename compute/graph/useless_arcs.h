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
#include "daemon/base/err.h"

/*
 * Whether a solve that follows arcs should search for useless ones first. Few
 * sources are solved sooner than the search is done; of many arcs it would take
 * as much memory as V; lengths that are all 1 make none useless.
 */
bool apsp_useless_arcs_pay(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers);

/*
 * Fill out_longer (n_arcs bytes): 1 where the path by way of one vertex, that
 * of largest degree, is shorter than the arc, else 0. The graph has vertices.
 * Blocks for as long as two runs of Dijkstra. APSP_ENOMEM.
 */
int apsp_useless_arcs_by_root(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, uint8_t *out_longer,
	struct apsp_err *err);

/*
 * The same, and 1 where a path of two of the arcs that are left is shorter, if
 * there are few such paths beside the work of a solve. Takes about a nanosecond
 * of a processor more for each path. APSP_ENOMEM.
 */
int apsp_useless_arcs_find(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, uint8_t *out_longer,
	struct apsp_err *err);

#endif
