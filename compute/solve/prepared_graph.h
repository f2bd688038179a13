/*
 * A job's graph, and everything that the host derives from it before the
 * distance matrix is computed.
 */
#ifndef APSP_COMPUTE_SOLVE_PREPARED_GRAPH_H
#define APSP_COMPUTE_SOLVE_PREPARED_GRAPH_H

#include <stdint.h>

#include "compute/bits.h"
#include "compute/closure/closure_algorithm.h"
#include "compute/device/device.h"
#include "compute/graph/components.h"
#include "compute/graph/integers.h"
#include "compute/graph/lengths.h"
#include "compute/graph/positions.h"
#include "compute/graph/root_paths.h"
#include "compute/graph/useful_arcs.h"
#include "compute/graph/width_candidates.h"
#include "compute/progress.h"
#include "daemon/base/err.h"
#include "daemon/job/graph_file.h"

struct apsp_prepared_graph {
	struct apsp_graph graph;
	struct apsp_lengths lengths;
	/* the lengths as integers, in the scale of the width that is being
	   tried (width_attempts.h) */
	struct apsp_integers integers;
	/* the useful arcs (the arcs that may be on a shortest path), found in
	   the scale of `integers` */
	struct apsp_useful_arcs useful;
	bool useful_known; /* true: the search for useful arcs has run */
	/* the shortest paths from and to the root vertex (root_paths.h), in the
	   first scale that `integers` had */
	struct apsp_root_paths paths;
	/* for widest paths: the paths from and to a better root, along useful
	   arcs; empty if all arcs count as useful */
	struct apsp_root_paths better;
	struct apsp_components components;
	struct apsp_positions order;
	struct apsp_bits closure;
	struct apsp_bits on_cycle;
	uint64_t n_reachable; /* number of pairs of vertices that have a path
				 (bits that are set in `closure`) */
	uint32_t hops; /* largest number of arcs in a shortest path from or to
			  the root vertex */
	/* element type of path sums: the type that the profile asks for, or F64
	   after a sum was outside the range of F32 */
	enum apsp_element sums;
	struct apsp_width widths[APSP_WIDTHS_MAX];
	int n_widths;
};

/*
 * Map the graph file at `path`. The caller ends *out with
 * apsp_prepared_graph_done(), even if another function of this file fails for
 * *out.
 */
int apsp_prepared_graph_open(const char *path, struct apsp_prepared_graph *out,
	struct apsp_err *err);
void apsp_prepared_graph_done(struct apsp_prepared_graph *prepared);

/*
 * Compute the lengths, their integers, the arcs by head (kept only if
 * predecessors are ranks, in_arcs.h), the paths from and to the root, the list
 * of widths (width_candidates.h), the components and the order of the vertices.
 * apsp_integers_build() fills *out_cycle. Fails with the errors of
 * apsp_integers_build() and apsp_lengths_build().
 */
int apsp_prepared_graph_lengths(struct apsp_prepared_graph *prepared,
	struct apsp_negative_cycle *out_cycle, struct apsp_err *err);

/*
 * Prepare the graph of a job that makes no tables: rows will be computed on
 * demand. Call this instead of apsp_prepared_graph_lengths() and
 * apsp_prepared_graph_closure(). This function computes only lengths, integers,
 * the arcs by head, the components and the vertices on cycles. *out_cycle and
 * the errors are the same as for apsp_prepared_graph_lengths().
 */
int apsp_prepared_graph_bare(struct apsp_prepared_graph *prepared,
	struct apsp_negative_cycle *out_cycle, struct apsp_err *err);

/*
 * Compute the closure, and find the vertices that are on cycles. Call
 * apsp_prepared_graph_lengths() first. If `closure` is NULL, the default
 * algorithm runs. `device` may be NULL if the algorithm is `closure-order`.
 * Fails with the errors of closure->run().
 */
int apsp_prepared_graph_closure(struct apsp_prepared_graph *prepared,
	const struct apsp_closure_algorithm *closure,
	const struct apsp_device *device, struct apsp_progress *progress,
	struct apsp_err *err);

/* Return the element type that distances have in the tables when the distance
   matrix V has the element type `v`. */
enum apsp_element apsp_prepared_graph_distance(
	const struct apsp_prepared_graph *prepared, enum apsp_element v);

/*
 * Find the useful arcs in the scale of prepared->integers, unless the useful
 * arcs are already known. One part of the search, which compares arcs with
 * paths of two arcs, takes at most about pairs_s seconds (useful_arcs.h). If
 * there is too little memory for the search, all arcs count as useful.
 * APSP_ECANCELLED: a stop was requested.
 */
int apsp_prepared_graph_useful(struct apsp_prepared_graph *prepared,
	const struct apsp_stop *stop, double pairs_s, struct apsp_err *err);

/* Free the useful arcs, so that the next call of apsp_prepared_graph_useful()
   searches for them again. */
void apsp_prepared_graph_drop_useful(struct apsp_prepared_graph *prepared);

/* Return the arcs from which the distance matrix is computed: the useful arcs,
   or all arcs if there is no copy of the useful arcs. */
const struct apsp_lengths *apsp_prepared_graph_arcs(
	const struct apsp_prepared_graph *prepared);

/* For widest paths: return the paths from and to the best root that is known.
   These paths consist of the arcs that apsp_prepared_graph_arcs() returns. */
const struct apsp_root_paths *apsp_prepared_graph_root(
	const struct apsp_prepared_graph *prepared);

/* Compute prepared->integers in the scale of `width`. */
int apsp_prepared_graph_scale(struct apsp_prepared_graph *prepared,
	const struct apsp_width *width, struct apsp_err *err);

#endif
