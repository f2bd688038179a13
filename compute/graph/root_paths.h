/*
 * The shortest paths from one vertex to all, and from all to it: what they tell
 * of a graph is cheap beside a solve.
 */
#ifndef APSP_COMPUTE_GRAPH_ROOT_PATHS_H
#define APSP_COMPUTE_GRAPH_ROOT_PATHS_H

#include <stdint.h>

#include "compute/graph/integers.h"
#include "compute/graph/lengths.h"
#include "compute/team.h"
#include "daemon/base/err.h"

/* One direction; of each vertex. Owned. */
struct apsp_root_side {
	int64_t *distances; /* APSP_DIJKSTRA_INFINITY: there is no path */
	uint32_t *hops;	    /* of the path found */
};

/* Under the integers as kernels get them: potentials are not undone. */
struct apsp_root_paths {
	int64_t scale;		    /* of these integers */
	uint32_t root;		    /* the vertex of largest degree */
	struct apsp_root_side from; /* the root */
	struct apsp_root_side to;   /* the root */
};

/*
 * Run Dijkstra from the root forward and backward, in two threads; a graph
 * without vertices has none. beside (NULL: nothing) is the caller's own loop,
 * which takes the threads that are left; it has run if 0 is returned, and may
 * have if not. The caller ends *out with apsp_root_paths_done(). APSP_ENOMEM.
 */
int apsp_root_paths_find(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers,
	const struct apsp_team_part *beside, struct apsp_root_paths *out,
	struct apsp_err *err);
void apsp_root_paths_done(struct apsp_root_paths *paths);

/*
 * The length of the path that was found between vertex v and the root, under
 * integers of the same lengths in any scale. It is that of a path, and not of a
 * shortest one where the scale is below its arcs. APSP_DIJKSTRA_INFINITY: there
 * is no path.
 */
int64_t apsp_root_paths_length(const struct apsp_root_paths *paths,
	const struct apsp_root_side *side, uint32_t v,
	const struct apsp_integers *integers);

#endif
