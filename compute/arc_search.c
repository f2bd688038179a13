/*
 * Decides from the numbers of vertices and arcs whether the search for useless
 * arcs pays; see arc_search.h.
 */
#include "compute/arc_search.h"

enum {
	SOURCES_LEAST = 256, /* smallest number of vertices for which the search
				pays */
	/* apsp_arc_search_most() is the number of pairs of vertices, divided by
	   this number */
	CELLS_PER_ARC = 20,
	USELESS_LEAST = 8, /* the useful arcs are copied only if more than 1 /
			      USELESS_LEAST of the arcs are useless */
};

bool apsp_arc_search_pays(uint64_t n_vertices, bool unit_lengths)
{
	return !unit_lengths && n_vertices >= SOURCES_LEAST;
}

uint64_t apsp_arc_search_most(uint64_t n_vertices)
{
	/* the square cannot overflow, because a graph has at most 2^25
	   vertices */
	return n_vertices * n_vertices / CELLS_PER_ARC;
}

bool apsp_arc_search_copies(
	uint64_t n_vertices, uint64_t n_arcs, uint64_t n_useful)
{
	return n_useful < apsp_arc_search_most(n_vertices) &&
	       n_arcs - n_useful > n_arcs / USELESS_LEAST;
}
