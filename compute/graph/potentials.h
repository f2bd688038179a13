/*
 * Finds potentials h that remove negative lengths: length(u, v) + h(u) - h(v)
 * is at least 0 for every arc from u to v. If there are no such potentials,
 * there is a negative cycle. Then the search finds this cycle
 * (compute/graph/README.md, Negative lengths).
 */
#ifndef APSP_COMPUTE_GRAPH_POTENTIALS_H
#define APSP_COMPUTE_GRAPH_POTENTIALS_H

#include <stddef.h>
#include <stdint.h>

#include "compute/graph/lengths.h"
#include "daemon/base/err.h"
#include "daemon/job/graph_file.h"

/*
 * A cycle whose lengths add up to less than 0. The array has the cycle's
 * vertices in order, beginning with the lowest vertex, and is owned. If there
 * is no negative cycle, n is 0.
 */
struct apsp_negative_cycle {
	uint32_t *vertices;
	size_t n;
};

void apsp_negative_cycle_done(struct apsp_negative_cycle *cycle);

/* The exponents of two powers of two. Lengths are multiples of the first power,
   and potentials are multiples of the second. */
struct apsp_potentials_scale {
	int step; /* every length is a multiple of 2^step */
	int unit; /* potentials are multiples of 2^unit; unit is from step to
		     step + 40 */
};

/*
 * Find potentials for lengths from -2^53 to 2^53 units. A unit is 2^scale.unit.
 * *out_potentials gets an array of n_vertices potentials, in units. The caller
 * owns the array. For every arc from u to v, floor(length / unit) + 1 + h(u) -
 * h(v) >= 0. If scale.unit equals scale.step, all lengths are whole numbers of
 * units, and length / unit + h(u) - h(v) >= 0. Sums of lengths are exact, so a
 * cycle is negative if the exact sum of its lengths is below 0.
 *
 * APSP_ENEGCYCLE: there is a negative cycle or self-loop. *out_cycle holds this
 * cycle, and the message names the cycle's first vertices. APSP_EOVERFLOW: a
 * potential does not fit in 53 bits. APSP_ENOMEM. *out_cycle must be empty
 * before the call. The caller must end it even if the function fails.
 *
 * Takes O(n_vertices · n_arcs) time in the worst case, and linear time if the
 * arcs form no cycle. Method: Johnson 1977; Bellman–Ford in sorted passes
 * (Goldberg & Radzik 1993), which looks for cycles among the parents
 * (Cherkassky & Goldberg 1999).
 */
int apsp_potentials_find(const struct apsp_graph *graph,
	const struct apsp_lengths *lengths, struct apsp_potentials_scale scale,
	int64_t **out_potentials, struct apsp_negative_cycle *out_cycle,
	struct apsp_err *err);

#endif
