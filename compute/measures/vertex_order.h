/*
 * Vertices in the order of their distances, by a radix sort.
 */
#ifndef APSP_COMPUTE_MEASURES_VERTEX_ORDER_H
#define APSP_COMPUTE_MEASURES_VERTEX_ORDER_H

#include <stdbool.h>
#include <stdint.h>

struct apsp_vertex_key {
	uint64_t key;
	uint32_t vertex;
};

/* One thread's scratch. */
struct apsp_vertex_order {
	uint32_t n_vertices;
	struct apsp_vertex_key *keys; /* two arrays of n_vertices; owned */
};

/* False: no memory. */
bool apsp_vertex_order_init(struct apsp_vertex_order *order, uint32_t n);
void apsp_vertex_order_done(struct apsp_vertex_order *order);

/*
 * Store the vertices with a finite distance at out, nearest first, and return
 * how many there are. Distances are 0 or more. listed has all vertices: those
 * that are equally far keep its order; NULL: they ascend.
 */
uint32_t apsp_vertex_order_by_distance(struct apsp_vertex_order *order,
	const double *distances, const uint32_t *listed, uint32_t *out);

/* Sort n of vertices[] by a number of each. */
void apsp_vertex_order_by_rank(struct apsp_vertex_order *order,
	const uint32_t *ranks, uint32_t *vertices, uint32_t n);

#endif
