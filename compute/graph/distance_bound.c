/*
 * The longest of the shortest paths from and to one vertex; see
 * distance_bound.h.
 */
#include "compute/graph/distance_bound.h"

#include "compute/graph/dijkstra.h"

/* Raise the bounds to the paths of one side. sign: 1 from the root, -1 to it.
 */
static void side_take(const struct apsp_root_side *side, uint32_t n_vertices,
	const int64_t *potentials, uint32_t root, int sign, int64_t *v,
	uint32_t *hops)
{
	for (uint32_t u = 0; u < n_vertices; u++) {
		int64_t distance = side->distances[u];

		if (distance == APSP_DIJKSTRA_INFINITY)
			continue;
		if (potentials)
			distance += sign * (potentials[u] - potentials[root]);
		if (distance > *v)
			*v = distance;
		if (side->hops[u] > *hops)
			*hops = side->hops[u];
	}
}

void apsp_distance_bound_find(const struct apsp_root_paths *paths,
	const struct apsp_integers *integers, uint32_t n_vertices,
	int64_t *out_v, uint32_t *out_hops)
{
	*out_v = 0;
	*out_hops = 0;
	side_take(&paths->from, n_vertices, integers->potentials, paths->root,
		1, out_v, out_hops);
	side_take(&paths->to, n_vertices, integers->potentials, paths->root, -1,
		out_v, out_hops);
}
