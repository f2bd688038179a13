/*
 * The bytes that the host holds of a graph itself: its arcs and closure, and
 * what is computed from them before there is V. Plain arithmetic.
 */
#ifndef APSP_COMPUTE_PLAN_GRAPH_BYTES_H
#define APSP_COMPUTE_PLAN_GRAPH_BYTES_H

#include <stdbool.h>
#include <stdint.h>

/* Arcs and vertices. The solver holds them on the host from start to end. */
uint64_t apsp_graph_bytes(
	uint64_t n_vertices, uint64_t n_arcs, bool unit_lengths);

/* The closure, which is also held from start to end, or its transpose. */
uint64_t apsp_host_closure_bytes(uint64_t n_vertices);

/* The weights, which are held until they are written. apart: they are stored
   apart from the lengths; if not, they take nothing. */
uint64_t apsp_weights_bytes(uint64_t n_arcs, bool apart);

/* The arcs by head, and two Dijkstras, before the closure is made. */
uint64_t apsp_read_bytes(uint64_t n_vertices, uint64_t n_arcs);

/*
 * The bytes of multi-source's search for useless arcs on a CPU, without a byte
 * for each arc. n_left: the arcs that are left once paths by way of the root
 * are compared (compute/graph/useless_arcs.h), at most n_arcs. 0 if the search
 * does not pay (compute/arc_search.h).
 */
uint64_t apsp_arc_search_bytes(uint64_t n_vertices, uint64_t n_arcs,
	uint64_t n_left, bool unit_lengths);

#endif
