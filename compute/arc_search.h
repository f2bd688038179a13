/*
 * Whether the host searches a graph for useless arcs before V is computed.
 * graph/ searches, and plan/ estimates the search.
 */
#ifndef APSP_COMPUTE_ARC_SEARCH_H
#define APSP_COMPUTE_ARC_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether to search for useless arcs (compute/graph/useful_arcs.h). The search
 * does not pay if there are few vertices, because solving takes less time than
 * the search; or if all lengths are 1, because then no arc is useless.
 */
bool apsp_arc_search_pays(uint64_t n_vertices, bool unit_lengths);

/*
 * From this number of useful arcs on, a matrix is solved faster than arcs are
 * followed, and comparing arcs with all paths of two arcs does not pay.
 */
uint64_t apsp_arc_search_most(uint64_t n_vertices);

/*
 * Whether the solve uses a copy of the useful arcs: not if there are too many
 * of them, or if nearly all arcs are useful.
 */
bool apsp_arc_search_copies(
	uint64_t n_vertices, uint64_t n_arcs, uint64_t n_useful);

#endif
