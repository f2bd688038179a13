/*
 * Sorts vertices by their distances or ranks, by a radix sort.
 */
#ifndef APSP_COMPUTE_MEASURES_VERTEX_SORT_H
#define APSP_COMPUTE_MEASURES_VERTEX_SORT_H

#include <stdint.h>

struct apsp_vertex_key {
	uint64_t key;
	uint32_t vertex;
};

/* The scratch memory of one thread. The caller allocates and frees `keys`. */
struct apsp_vertex_sort {
	uint32_t n_vertices;
	struct apsp_vertex_key *keys; /* two arrays of n_vertices keys */
};

/*
 * Store at `out` all vertices whose distance is finite, nearest first, and
 * return their number. Distances are 0 or more. `listed` has all vertices;
 * vertices of equal distance keep the order that they have in `listed`. If
 * `listed` is NULL, vertices of equal distance are in ascending order of their
 * numbers.
 */
uint32_t apsp_vertex_sort_by_distance(struct apsp_vertex_sort *order,
	const double *distances, const uint32_t *listed, uint32_t *out);

/* Sort n vertices in place by their ranks. ranks[v] is the rank of vertex v. */
void apsp_vertex_sort_by_rank(struct apsp_vertex_sort *order,
	const uint32_t *ranks, uint32_t *vertices, uint32_t n);

#endif
