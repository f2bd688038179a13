/*
 * Finds the useful arcs, which are the arcs that may be on a shortest path. An
 * arc is useless if another path between its ends is shorter. Before the
 * distance matrix V is computed, the host finds many useless arcs cheaply: half
 * of all arcs in connectomes, three quarters in a random graph with 100 arcs
 * for each vertex, and 99 of 100 in a complete graph.
 */
#ifndef APSP_COMPUTE_GRAPH_USEFUL_ARCS_H
#define APSP_COMPUTE_GRAPH_USEFUL_ARCS_H

#include <stdint.h>

#include "compute/graph/integers.h"
#include "compute/graph/lengths.h"
#include "compute/graph/root_paths.h"
#include "daemon/base/err.h"
#include "daemon/base/stop.h"

/* The useful arcs of a graph. If the struct is all zeros, all arcs of the graph
   count as useful. The struct owns its arrays. */
struct apsp_useful_arcs {
	/* The useful arcs; weights and self_loop are NULL. */
	struct apsp_lengths lengths;
	/* For each arc of the whole graph: 1 if it is useless, else 0. */
	uint8_t *useless;
};

/*
 * Find useless arcs in two steps. First find the arcs that are longer than the
 * path from their tail through the root of `paths` to their head. Then compare
 * each remaining arc with all paths of two remaining arcs from its tail to its
 * head. An arc is useless if it is longer than one of these paths. The second
 * step takes at most about pairs_s seconds. It is omitted if it would take
 * longer than it saves. `paths` must have been found with the same lengths, but
 * the scale of their integers may differ.
 *
 * *out is all zeros if the search or a copy of the useful arcs would take
 * longer than it saves (compute/arc_search.h). The search takes some
 * nanoseconds of processor time for each arc, and about one nanosecond for each
 * path of two arcs. The caller ends *out with apsp_useful_arcs_done().
 * APSP_ENOMEM; APSP_ECANCELLED: a stop was requested.
 */
int apsp_useful_arcs_find(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers,
	const struct apsp_root_paths *paths, const struct apsp_stop *stop,
	double pairs_s, struct apsp_useful_arcs *out, struct apsp_err *err);
void apsp_useful_arcs_done(struct apsp_useful_arcs *useful);

#endif
