/*
 * What the host holds of a graph itself: its arcs and closure, and what is
 * found out of them before there is V. Plain arithmetic; what overflows is
 * UINT64_MAX, as in footprint.h.
 */
#ifndef APSP_COMPUTE_PLAN_GRAPH_BYTES_H
#define APSP_COMPUTE_PLAN_GRAPH_BYTES_H

#include <stdbool.h>
#include <stdint.h>

/* Arcs and vertices, which the solver holds on the host from start to end. */
uint64_t apsp_graph_bytes(
	uint64_t n_vertices, uint64_t n_arcs, bool unit_lengths);

/* The closure, which is held likewise, or its transpose. */
uint64_t apsp_host_closure_bytes(uint64_t n_vertices);

/* Weights, which are held until they are written, unless lengths are they. */
uint64_t apsp_weights_bytes(uint64_t n_arcs, bool apart);

/* The arcs by head, and two Dijkstras, before the closure is made. */
uint64_t apsp_read_bytes(uint64_t n_vertices, uint64_t n_arcs);

/*
 * What multi-source's search for useless arcs on a CPU holds, beside a byte for
 * each arc, where the root leaves n_left (compute/graph/useless_arcs.h); n_arcs
 * at most. 0: it does not pay (compute/arc_search.h).
 */
uint64_t apsp_arc_search_bytes(uint64_t n_vertices, uint64_t n_arcs,
	uint64_t n_left, bool unit_lengths);

/* What the probe for multi-source takes (multi_source_probe.h). */
uint64_t apsp_probe_bytes(uint64_t n_vertices, uint64_t n_left);

#endif
