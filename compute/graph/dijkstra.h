/*
 * Finds distances from one source by Dijkstra's algorithm. Lengths are
 * non-negative integers. The value of a path is the sum of its lengths or, for
 * widest paths, the largest of its lengths (semiring.h).
 */
#ifndef APSP_COMPUTE_GRAPH_DIJKSTRA_H
#define APSP_COMPUTE_GRAPH_DIJKSTRA_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"

#define APSP_DIJKSTRA_INFINITY INT64_MAX

/* Arcs grouped by tail or, for backward searches, by head. All pointers are
   borrowed. */
struct apsp_dijkstra_arcs {
	uint32_t n_vertices;
	const uint64_t *offsets; /* n_vertices + 1 entries */
	/* for each arc, its head or, for backward searches, its tail */
	const uint32_t *ends;
	/* Store at `out` the lengths of a vertex's arcs, in the order of
	   `ends`. Each length is from 0 to 2^53. */
	void (*row)(const void *ctx, uint32_t vertex, int64_t *out);
	const void *ctx;
	bool widest;
};

/* The working memory of apsp_dijkstra_run(). Only one thread at a time may use
   it. */
struct apsp_dijkstra;

/* Allocate the working memory for searches along `arcs`. The caller frees *out
   with apsp_dijkstra_free(). The arrays in `arcs` must stay valid until then.
   APSP_ENOMEM. */
int apsp_dijkstra_new(const struct apsp_dijkstra_arcs *arcs,
	struct apsp_dijkstra **out, struct apsp_err *err);
void apsp_dijkstra_free(struct apsp_dijkstra *dijkstra);

/*
 * Fill out_distances with n_vertices distances from source. A distance is
 * APSP_DIJKSTRA_INFINITY if there is no path, or if the path's length exceeds
 * 64 bits. The caller may pass out_hops or out_ends, but not both: at least one
 * of the two is NULL. Method: Dijkstra 1959, with a heap in which each node has
 * four children.
 *
 * out_hops receives the number of arcs of each path (0 if there is no path).
 *
 * out_ends receives the predecessor of each vertex v, or UINT32_MAX for the
 * source and for vertices without a path. For shortest paths, the tie rule
 * chooses the predecessor (storage/tables/README.md, The tie rule): the lowest
 * vertex that comes right before v on some shortest path from the source. The
 * graph must then have no cycle of length 0. For widest paths, the predecessor
 * is the tail of the arc that first gave v its final value, so that the
 * predecessors form a tree.
 */
void apsp_dijkstra_run(struct apsp_dijkstra *dijkstra, uint32_t source,
	int64_t *out_distances, uint32_t *out_hops, uint32_t *out_ends);

#endif
