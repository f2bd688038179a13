/*
 * The shortest paths from one vertex, the root, to all other vertices, and from
 * all other vertices to the root. Finding these paths takes little time
 * compared with a solve. The largest length of these paths is a lower bound of
 * the largest value of the distance matrix V.
 */
#ifndef APSP_COMPUTE_GRAPH_ROOT_PATHS_H
#define APSP_COMPUTE_GRAPH_ROOT_PATHS_H

#include <stdint.h>

#include "compute/graph/integers.h"
#include "compute/graph/lengths.h"
#include "compute/parallel.h"
#include "daemon/base/err.h"

/* The shortest paths in one of two directions: all paths from the root, or all
   paths to the root. Arrays are owned and have one entry for each vertex. */
struct apsp_root_side {
	int64_t *distances; /* APSP_DIJKSTRA_INFINITY: the vertex has no path */
	uint32_t *hops;	    /* number of arcs of the path that was found */
};

/* The paths from and to the root. Distances are sums of the integers that
   kernels get. If there are potentials, these integers include them. */
struct apsp_root_paths {
	/* scale of the integers (struct apsp_integers) whose sums are the
	   distances */
	int64_t scale;
	uint32_t root; /* the vertex at which the paths begin or end */
	struct apsp_root_side from; /* paths from the root */
	struct apsp_root_side to;   /* paths to the root */
};

/*
 * Run Dijkstra's algorithm from the vertex with the largest degree, forward and
 * backward, in two threads. A graph without vertices has no root. lengths->in
 * must have been built (in_arcs.h). `beside` is a loop that runs at the same
 * time on the remaining threads; NULL: there is no such loop. If this function
 * returns 0, the loop has run. If this function fails, the loop may or may not
 * have run. The caller ends *out with apsp_root_paths_done(). APSP_ENOMEM.
 */
int apsp_root_paths_find(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers,
	const struct apsp_parallel_part *beside, struct apsp_root_paths *out,
	struct apsp_err *err);
void apsp_root_paths_done(struct apsp_root_paths *paths);

/*
 * For widest paths: find the paths from and to the vertex `root`, or from and
 * to a better root. A root is better if, for more pairs, the path by way of the
 * root is a widest path (root_widths.h). The vertex with the largest degree can
 * be a bad root, because its own arcs can be narrow. `lengths` is allowed to
 * have only the useful arcs. lengths->in must have been built. The caller ends
 * *out with apsp_root_paths_done(). APSP_ENOMEM.
 */
int apsp_root_paths_choose(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, uint32_t root,
	struct apsp_root_paths *out, struct apsp_err *err);

/*
 * Find lower bounds of the largest distance and the largest hop count. The
 * solve skips widths and scales that are too small for these bounds
 * (compute/graph/README.md, Widths). *out_v is the largest finite value in the
 * row and the column of the root in the distance matrix V. The value has the
 * scale of `paths`, and does not include the potentials. *out_hops is the
 * largest number of arcs of a path in `paths`. `integers` must be the integers
 * with which the paths were found.
 */
void apsp_root_paths_bound(const struct apsp_root_paths *paths,
	const struct apsp_integers *integers, uint32_t n_vertices,
	int64_t *out_v, uint32_t *out_hops);

#endif
