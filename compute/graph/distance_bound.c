/*
 * The farthest ends of the paths from and to one vertex; see distance_bound.h.
 */
#include "compute/graph/distance_bound.h"

#include "compute/graph/dijkstra.h"
#include "compute/graph/root_paths.h"
#include "daemon/base/auto.h"

/* Raise the bounds by the paths of one side. sign: 1 from the root, -1 to it.
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

int apsp_distance_bound_find(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, int64_t *out_v,
	uint32_t *out_hops, struct apsp_err *err)
{
	APSP_AUTO(apsp_root_paths_done) struct apsp_root_paths paths = {0};
	uint32_t n = lengths->n_vertices, hops = 0;
	int64_t most = 0;
	int r = n > 0 ? apsp_root_paths_find(lengths, integers, &paths, err)
		      : 0;

	if (r < 0)
		return r;
	if (n > 0) {
		side_take(&paths.from, n, integers->potentials, paths.root, 1,
			&most, &hops);
		side_take(&paths.to, n, integers->potentials, paths.root, -1,
			&most, &hops);
	}
	*out_v = most;
	*out_hops = hops;
	return 0;
}
