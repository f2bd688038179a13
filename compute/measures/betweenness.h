/*
 * The betweenness of every vertex (Freeman 1977; Brandes 2001). The betweenness
 * of a vertex is a sum over all ordered pairs of other vertices. Each pair adds
 * a number from 0 to 1: the number of the pair's shortest paths through the
 * vertex, divided by the number of all shortest paths of the pair.
 * compute/measures/README.md says which paths count as equally long.
 */
#ifndef APSP_COMPUTE_MEASURES_BETWEENNESS_H
#define APSP_COMPUTE_MEASURES_BETWEENNESS_H

#include <stdint.h>

#include "compute/graph/lengths.h"
#include "compute/parallel.h"
#include "compute/progress.h"
#include "daemon/base/err.h"
#include "daemon/job/table_file.h"

/* The rows of the finished distance table. */
struct apsp_distance_rows {
	uint32_t n_vertices;
	enum apsp_distance_kind kind;
	enum apsp_element element;
	int64_t scale; /* if kind is APSP_DISTANCE_SCALED: an element is
			  distance · scale + hops */
	/* Copies rows [first, first + n_rows) to `out`; only one thread at a
	   time calls it. */
	int (*read)(void *ctx, uint32_t first, uint32_t n_rows, void *out,
		struct apsp_err *err);
	void *ctx;
};

/*
 * Store the betweenness of each of the n_vertices vertices at `out`. If a
 * length is negative or a cycle has length 0, paths cannot be counted, and all
 * values are NaN. `width` is the number of threads; the bits of the results do
 * not depend on it. `rows` has the finished distances, which were computed from
 * `lengths`. `progress` must be in the phase `betweenness`.
 * apsp_measure_bytes() (measure_cost.h) returns the memory that is needed.
 * APSP_ECANCELLED, APSP_ENOMEM; APSP_EPROOF: the distances do not belong to the
 * lengths, or a proof of the results fails; any error of rows->read().
 */
int apsp_betweenness_run(const struct apsp_lengths *lengths,
	const struct apsp_distance_rows *rows, unsigned int width,
	struct apsp_progress *progress, double *out, struct apsp_err *err);

#endif
