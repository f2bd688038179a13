/*
 * Bytes by arc and vertex; see graph_bytes.h. tests/test_memory.c compares them
 * with what solves hold.
 */
#include "compute/plan/graph_bytes.h"

#include "compute/arc_search.h"
#include "compute/parallel.h"
#include "compute/plan/footprint.h"
#include "daemon/base/table_file.h"

enum {
	/* On the host, for an arc: its head, length and weight; its tail and
	   rank while the size of V is bounded (root_paths.c). */
	HEAD_BYTES = 4,
	LENGTH_BYTES = 8,
	WEIGHT_BYTES = 8,
	IN_ARC_BYTES = 4 + 4,
	/* For a vertex: offset, components, position, paths of the root; while
	   the size of V is bounded, also an offset and two heaps. */
	VERTEX_BYTES = 8 + 12 + 8 + 24,
	READ_VERTEX_BYTES = 8 + 2 * (16 + 4 + 8),
	/* The search for useless arcs: for an arc a head and a length; for a
	   vertex the begin of its row, and a number for each thread. */
	SEARCH_ARC_BYTES = 4 + 8,
	SEARCH_VERTEX_BYTES = 8,
	SEARCH_THREAD_BYTES = 8,
};

uint64_t apsp_graph_bytes(
	uint64_t n_vertices, uint64_t n_arcs, bool unit_lengths)
{
	uint64_t arc = HEAD_BYTES + (unit_lengths ? 0 : LENGTH_BYTES);

	return n_arcs * arc + n_vertices * VERTEX_BYTES;
}

uint64_t apsp_host_closure_bytes(uint64_t n_vertices)
{
	return n_vertices * apsp_bit_row_words(n_vertices) * sizeof(uint64_t);
}

uint64_t apsp_weights_bytes(uint64_t n_arcs, bool apart)
{
	return n_arcs * (apart ? WEIGHT_BYTES : 0);
}

uint64_t apsp_read_bytes(uint64_t n_vertices, uint64_t n_arcs)
{
	return n_arcs * IN_ARC_BYTES + n_vertices * READ_VERTEX_BYTES;
}

uint64_t apsp_arc_search_bytes(uint64_t n_vertices, uint64_t n_arcs,
	uint64_t n_left, bool unit_lengths)
{
	uint64_t each = SEARCH_VERTEX_BYTES +
			SEARCH_THREAD_BYTES * (uint64_t)apsp_parallel_width();

	if (!apsp_arc_search_pays(n_vertices, n_arcs, unit_lengths))
		return 0;
	return (n_vertices + 1) * each + (n_left + 1) * SEARCH_ARC_BYTES;
}
