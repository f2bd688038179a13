/*
 * Limits of the search for useless arcs. An arc is useless if it is longer than
 * another path between its ends (compute/graph/useful_arcs.h). compute/graph
 * runs this search, and compute/plan estimates its time.
 */
#ifndef APSP_COMPUTE_ARC_SEARCH_H
#define APSP_COMPUTE_ARC_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether to search for useless arcs. The search does not pay in two cases. If
 * there are few vertices, the search takes longer than the solve. If all
 * lengths are 1, no arc is useless.
 */
bool apsp_arc_search_pays(uint64_t n_vertices, bool unit_lengths);

/*
 * Return a limit for the number of useful arcs. From this number on, algorithms
 * that work on the matrix of distances are faster than algorithms that follow
 * arcs. So there is no copy of the useful arcs (apsp_arc_search_copies()), and
 * the search does not compare arcs with paths of two arcs.
 */
uint64_t apsp_arc_search_most(uint64_t n_vertices);

/* Whether distances are computed from a copy of the graph that has only the
   useful arcs. If there are too many useful arcs (apsp_arc_search_most()), or
   if nearly all arcs are useful, there is no copy, and distances are computed
   from the graph itself. */
bool apsp_arc_search_copies(
	uint64_t n_vertices, uint64_t n_arcs, uint64_t n_useful);

#endif
