/*
 * Limits for the number of vertices and arcs; see arc_search.h.
 */
#include "compute/arc_search.h"

enum {
	SOURCES_LEAST = 256,
	CELLS_PER_ARC = 20,
};

bool apsp_arc_search_pays(
	uint64_t n_vertices, uint64_t n_arcs, bool unit_lengths)
{
	uint64_t cells;

	if (__builtin_mul_overflow(n_vertices, n_vertices, &cells))
		cells = UINT64_MAX;
	return !unit_lengths && n_vertices >= SOURCES_LEAST &&
	       n_arcs < cells / CELLS_PER_ARC;
}
