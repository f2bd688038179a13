/*
 * Lists widths; see width_candidates.h.
 */
#include "compute/graph/width_candidates.h"

#include "compute/graph/v_element.h"

/* An integer distance consists of a scaled distance and a hop count. Return
   whether it would be below `infinity` for a pair with both the largest known
   distance and the largest known hop count. */
static bool fits(
	const struct apsp_width_facts *facts, int64_t scale, int64_t infinity)
{
	int64_t v;

	if (facts->kind != APSP_DISTANCE_SCALED)
		return facts->largest < infinity;
	if (__builtin_mul_overflow(facts->largest, scale, &v) ||
		__builtin_add_overflow(v, (int64_t)facts->hops, &v))
		return false;
	return v < infinity;
}

/*
 * Return `scale`, doubled as often as possible. The result must be at most
 * `full`, and distances must keep at least as much room as hop counts. Room is
 * the factor by which the largest distance or hop count of the graph may exceed
 * its lower bound in `facts`. An integer distance is distance · scale + hops,
 * so a larger scale gives more room to hop counts, but less room to distances.
 * Integer distances that are made with the lower bounds and the caller's
 * `scale` must be below `infinity`; then no product in this function overflows.
 */
static int64_t room_divide(const struct apsp_width_facts *facts, int64_t scale,
	int64_t full, int64_t infinity)
{
	if (facts->kind != APSP_DISTANCE_SCALED)
		return scale;
	/* The room of distances is infinity / (largest · scale), and the room
	   of hop counts is scale / (hops + 1). Double the scale as long as
	   distances then have at least as much room as hop counts. */
	while (scale <= full / 2 &&
		facts->largest * (2 * scale) * (2 * scale) <=
			infinity * ((int64_t)facts->hops + 1))
		scale *= 2;
	return scale;
}

/* Return the largest power of two below `scale`. `scale` must be above 2. */
static int64_t next_below(int64_t scale)
{
	int64_t below = 2;

	while (2 * below < scale)
		below *= 2;
	return below;
}

/*
 * List float64, the widest element, with up to three scales, the largest first.
 * A scale fits if an integer distance that is made with the lower bounds in
 * `facts` is below infinity (fits()). The scales are:
 *
 *  1. `full` if it fits, otherwise the largest power of two that fits, but at
 *     least `small`
 *  2. the next lower power of two
 *  3. `small`
 *
 * If the first scale is a power of two, the second scale is half of it, so that
 * a distance of twice the lower bound fits. No distance within the root's
 * component is longer than that.
 */
static int deep_list(const struct apsp_width_facts *facts, int64_t full,
	int64_t small, struct apsp_width *out)
{
	int64_t scale = full;
	int n = 0;

	/* with potentials, a smaller scale cannot be verified, because hops
	   cannot be read from integer distances */
	if (facts->kind != APSP_DISTANCE_SCALED || facts->negative)
		small = full;
	while (scale > small &&
		!fits(facts, scale, apsp_v_element_infinity(APSP_ELEMENT_F64)))
		scale = next_below(scale);
	out[n++] = (struct apsp_width){APSP_ELEMENT_F64, scale};
	if (scale > small && next_below(scale) > small)
		out[n++] = (struct apsp_width){
			APSP_ELEMENT_F64, next_below(scale)};
	if (scale > small)
		out[n++] = (struct apsp_width){APSP_ELEMENT_F64, small};
	return n;
}

int apsp_width_candidates_list(const struct apsp_width_facts *known,
	struct apsp_width out[APSP_WIDTHS_MAX])
{
	struct apsp_width_facts own = *known;
	const struct apsp_width_facts *facts = &own;
	int64_t full = facts->scale > 2 ? facts->scale : 2;
	int64_t small = 2;
	int n = 0;

	/* All known distances can be 0 while others are above 0, so leave room
	   for the distance 1. Then every scale is below infinity, and so fits
	   the integers of the kernels. */
	if (own.largest < 1)
		own.largest = 1;
	if (facts->kind == APSP_DISTANCE_WIDTH) {
		/* the values are ranks of widths; all ranks fit 32 bits,
		   because apsp_integers_build() refuses graphs with more
		   ranks */
		if (facts->largest < APSP_V_INFINITY_U16)
			out[n++] = (struct apsp_width){APSP_ELEMENT_U16, 1};
		out[n++] = (struct apsp_width){APSP_ELEMENT_I32, 1};
		return n;
	}
	/* `small` is a power of two that is at least twice the known hop count;
	   it is a guess, which is verified after the solve */
	while (small < 2 * ((int64_t)facts->hops + 1))
		small *= 2;
	if (small > full)
		small = full;
	/* real lengths need more than 16 bits, because the smallest length is
	   at least 2^17 units; potentials need elements with a sign, which
	   16-bit elements do not have */
	if (facts->kind != APSP_DISTANCE_SUM && !facts->negative &&
		fits(facts, small, APSP_V_INFINITY_U16))
		out[n++] = (struct apsp_width){APSP_ELEMENT_U16,
			room_divide(facts, small, full, APSP_V_INFINITY_U16)};
	if (fits(facts, full, APSP_V_INFINITY_I32))
		out[n++] = (struct apsp_width){APSP_ELEMENT_I32, full};
	else if (!facts->negative && small < full &&
		 fits(facts, small, APSP_V_INFINITY_I32))
		out[n++] = (struct apsp_width){APSP_ELEMENT_I32,
			room_divide(facts, small, full, APSP_V_INFINITY_I32)};
	return n + deep_list(facts, full, small, out + n);
}
