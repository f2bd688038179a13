/*
 * The list of widths; see width_candidates.h.
 */
#include "compute/graph/width_candidates.h"

/* Whether a V of `largest · scale + hops` is below infinity. */
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

/* A power of two, at least twice the known hops: a guess, verified later. */
static int64_t small_scale(uint32_t hops)
{
	int64_t scale = 2;

	while (scale < 2 * ((int64_t)hops + 1))
		scale *= 2;
	return scale;
}

int apsp_width_candidates_list(const struct apsp_width_facts *facts,
	struct apsp_width out[APSP_WIDTHS_MAX])
{
	int64_t full = facts->n_vertices > 2 ? facts->n_vertices : 2;
	int64_t small = small_scale(facts->hops);
	int n = 0;

	if (small > full)
		small = full;
	/* reals have 17 bits below the smallest length, too many for u16, and
	   potentials need a sign */
	if (facts->kind != APSP_DISTANCE_SUM && !facts->negative &&
		fits(facts, small, APSP_V_INFINITY_U16))
		out[n++] = (struct apsp_width){APSP_ELEMENT_U16, small};
	if (fits(facts, full, APSP_V_INFINITY_I32))
		out[n++] = (struct apsp_width){APSP_ELEMENT_I32, full};
	else if (!facts->negative && small < full &&
		 fits(facts, small, APSP_V_INFINITY_I32))
		out[n++] = (struct apsp_width){APSP_ELEMENT_I32, small};
	out[n++] = (struct apsp_width){APSP_ELEMENT_F64, full};
	return n;
}
