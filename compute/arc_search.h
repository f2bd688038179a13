/*
 * Limits of the search for useless arcs (compute/graph/useful_arcs.h). graph/
 * makes this search, and plan/ estimates its time.
 */
#ifndef APSP_COMPUTE_ARC_SEARCH_H
#define APSP_COMPUTE_ARC_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether to search for useless arcs. The search does not pay if there are few
 * vertices, because then the solve takes less time than the search; or if all
 * lengths are 1, because then no arc is useless.
 */
bool apsp_arc_search_pays(uint64_t n_vertices, bool unit_lengths);

/*
 * Return a limit for the number of useful arcs. If there are this many or more,
 * algorithms on the matrix are faster than algorithms that follow arcs, and a
 * search over paths of two arcs does not pay.
 */
uint64_t apsp_arc_search_most(uint64_t n_vertices);

/* Whether V is computed from a copy of the useful arcs. No copy is made if
   there are too many useful arcs, or if nearly all arcs are useful. */
bool apsp_arc_search_copies(
	uint64_t n_vertices, uint64_t n_arcs, uint64_t n_useful);

#endif
