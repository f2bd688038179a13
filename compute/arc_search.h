/*
 * Whether the host searches a graph for useless arcs before multi-source
 * follows arcs. graph/ searches, and plan/ estimates the search.
 */
#ifndef APSP_COMPUTE_ARC_SEARCH_H
#define APSP_COMPUTE_ARC_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether to search for useless arcs (compute/graph/useless_arcs.h). The search
 * does not pay if there are few vertices, because solving takes less time than
 * the search; if there are so many arcs that it needs as much memory as V; or
 * if all lengths are 1, because then no arc is useless.
 */
bool apsp_arc_search_pays(
	uint64_t n_vertices, uint64_t n_arcs, bool unit_lengths);

#endif
