/*
 * Arc lengths as integers. All algorithms work with these integers
 * (compute/graph/README.md, Integers).
 */
#ifndef APSP_COMPUTE_GRAPH_INTEGERS_H
#define APSP_COMPUTE_GRAPH_INTEGERS_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/graph/lengths.h"
#include "compute/graph/potentials.h"
#include "daemon/base/err.h"
#include "daemon/job/graph_file.h"
#include "daemon/job/table_file.h"

/*
 * The rule that gives an arc of length w its integer w'. Integers are not
 * stored, because they would take most of the memory that a solve needs in
 * addition to the tables. They are computed from the lengths each time they are
 * needed.
 *
 *	SCALED  w' = w · scale + 1            all lengths are integers
 *	HOPS    w' = 1                        all lengths are 1, or no arcs
 *	SUM     w' = floor(w / unit) + 1      other reals; unit: a power of two
 *	WIDTH   w' = w                        lengths are the ranks of weights
 *
 * If some length is negative, kernels get w'(u,v) + potential[u] - potential[v]
 * instead. These integers are 0 or more. In SCALED each integer is above 0. In
 * SUM the sum of the integers of any cycle is above 0.
 */
struct apsp_integers {
	enum apsp_distance_kind kind;
	/* the factor by which the kind SCALED multiplies a length; 1 for other
	   kinds */
	int64_t scale;
	/* the number by which the kind SUM divides a length; 1 for other
	   kinds */
	double unit;
	int64_t *potentials; /* one potential for each vertex; owned; NULL: no
				length is negative */
};

/*
 * Choose the kind, unit and potentials for the lengths. `scale` is the factor
 * of the kind SCALED, whose integer distances are distance · scale + hops. If
 * `scale` is 0, the factor is n_vertices or, if lengths are too large for this
 * factor, the largest power of two with which all lengths fit. If the profile
 * of `graph` says path=widest, the kind is WIDTH. If the function succeeds, the
 * caller ends *out with apsp_integers_done(). The caller must end *out_cycle
 * with apsp_negative_cycle_done() even if the function fails.
 *
 * APSP_ENEGCYCLE: there is a negative cycle, perhaps a self-loop; *out_cycle
 * holds it, and the message names its first vertices. APSP_EOVERFLOW: the
 * integer of a length does not fit in 53 bits, or a length is so short that no
 * unit can count it; the message names the arc. APSP_ENOMEM.
 */
int apsp_integers_build(const struct apsp_graph *graph,
	const struct apsp_lengths *lengths, int64_t scale,
	struct apsp_integers *out, struct apsp_negative_cycle *out_cycle,
	struct apsp_err *err);
void apsp_integers_done(struct apsp_integers *integers);

/* Whether some path can have as many arcs as the scale, or more. If so,
   distance and hops cannot be computed from the path's integer distance. */
static inline bool apsp_integers_scale_is_small(
	const struct apsp_integers *integers, uint32_t n_vertices)
{
	return integers->kind == APSP_DISTANCE_SCALED &&
	       !integers->potentials && integers->scale < n_vertices;
}

/* Return the integer that kernels get for arc number `arc`, which begins at
   vertex `tail`. The integer is from 0 to 2^53. */
static inline int64_t apsp_integers_at(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, uint32_t tail, uint64_t arc)
{
	const int64_t *h = integers->potentials;
	uint64_t value;
	double length;

	if (integers->kind == APSP_DISTANCE_HOPS)
		return 1;
	length = lengths->lengths[arc];
	if (integers->kind == APSP_DISTANCE_WIDTH)
		return (int64_t)length;
	if (integers->kind == APSP_DISTANCE_SUM) {
		double units = length / integers->unit;
		int64_t whole = (int64_t)units;

		/* the term in parentheses is floor(units), computed without
		   calling libm for each arc */
		value = (uint64_t)(whole - (units < (double)whole)) + 1;
	} else
		value = (uint64_t)(int64_t)length * (uint64_t)integers->scale +
			1;
	/* the product may have wrapped modulo 2^64; then the sum of the product
	   and the potentials wraps back to the right value */
	if (h)
		value += (uint64_t)(h[tail] - h[lengths->heads[arc]]);
	return (int64_t)value;
}

/* Store at `out` the integers of all arcs of vertex `tail`, in the order of the
   arcs. */
void apsp_integers_row(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, uint32_t tail, int64_t *out);

#endif
