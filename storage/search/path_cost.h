/*
 * Exact costs of paths: one integer contains the sum of lengths and the number
 * of arcs (storage/search/README.md, Sums are exact).
 *
 *	cost = sum of lengths / unit · 2^arc_bits + arcs
 *
 * The unit is a power of two, and every length of the graph is a multiple of
 * the unit. So costs can be added in any order without rounding. Of two paths
 * that differ in length, the shorter path has the smaller cost. Of two equally
 * long paths, the path with fewer arcs has the smaller cost. Paths without
 * repeated vertices, and walks of at most APSP_PATH_COST_WALK_MAX arcs, have
 * fewer than 2^arc_bits arcs.
 */
#ifndef APSP_STORAGE_SEARCH_PATH_COST_H
#define APSP_STORAGE_SEARCH_PATH_COST_H

#include <math.h>
#include <stdint.h>

#include "daemon/base/limits.h"

__extension__ typedef __int128 apsp_path_cost;

enum {
	APSP_PATH_COST_BITS = 126, /* every cost of a path is below 2^126 */
	/* least number of bits for the number of arcs. A graph of more than
	   2^20 vertices gets more bits */
	APSP_PATH_COST_ARC_BITS_MIN = 20,
};

_Static_assert(APSP_PATH_COST_WALK_MAX < 1 << APSP_PATH_COST_ARC_BITS_MIN,
	"the number of arcs of a walk fits its bits");

/* A cost greater than the cost of any path. */
#define APSP_PATH_COST_INFINITY ((apsp_path_cost)INT64_MAX << 63)

struct apsp_path_cost_unit {
	int exponent; /* the unit is 2^exponent */
	/* Two factors that convert a length to units. Their product is
	   2^-exponent, which may be out of a double's range. */
	double up[2];
	int arc_bits; /* number of bits for the number of arcs */
	int64_t one;  /* the cost of one unit of length, 2^arc_bits */
};

/* Return the number of bits that hold the number of arcs of a path in a graph
   of n_vertices vertices. */
static inline int apsp_path_cost_arc_bits(uint32_t n_vertices)
{
	int bits = APSP_PATH_COST_ARC_BITS_MIN;

	while ((uint64_t)n_vertices > UINT64_C(1) << bits)
		bits++;
	return bits;
}

static inline struct apsp_path_cost_unit apsp_path_cost_unit_of(
	int exponent, int arc_bits)
{
	return (struct apsp_path_cost_unit){exponent,
		{ldexp(1, -exponent / 2), ldexp(1, -exponent + exponent / 2)},
		arc_bits, INT64_C(1) << arc_bits};
}

/* Convert a length to units. The result is whole for each length of the
   graph. */
static inline double apsp_path_cost_units(
	const struct apsp_path_cost_unit *unit, double length)
{
	return length * unit->up[0] * unit->up[1];
}

/* Return the cost of a sum of lengths; the number of arcs is 0. `units` is the
   sum in units, a whole number. */
static inline apsp_path_cost apsp_path_cost_of_units(
	const struct apsp_path_cost_unit *unit, double units)
{
	/* convert to 64 bits if possible: processors have an instruction for
	   this, but none that converts to 128 bits */
	return fabs(units) < 0x1p62 ? (apsp_path_cost)(int64_t)units * unit->one
				    : (apsp_path_cost)units * unit->one;
}

/* Return the cost of one arc. */
static inline apsp_path_cost apsp_path_cost_of_arc(
	const struct apsp_path_cost_unit *unit, double length)
{
	return apsp_path_cost_of_units(
		       unit, apsp_path_cost_units(unit, length)) +
	       1;
}

/* A cost has two parts: a sum of lengths and a number of arcs. Return the
   sum of lengths, in units. */
static inline apsp_path_cost apsp_path_cost_sum(
	const struct apsp_path_cost_unit *unit, apsp_path_cost cost)
{
	return cost >> unit->arc_bits;
}

/* Return the exact product units · share, rounded down. `share` is at least 0.
   `units` may be below 0 only if `share` is 0. The product must be below 2^127.
 */
static inline apsp_path_cost apsp_path_cost_share(
	apsp_path_cost units, double share)
{
	int exponent;
	/* the fractional part of `share` is digits · 2^(exponent - 64);
	   exponent is at most 0 */
	uint64_t digits =
		(uint64_t)ldexp(frexp(share - floor(share), &exponent), 64);
	unsigned __int128 low = (unsigned __int128)(uint64_t)units * digits;
	unsigned __int128 high =
		(unsigned __int128)(units >> 64) * digits + (low >> 64);

	return units * (int64_t)floor(share) +
	       (exponent > -128 ? (apsp_path_cost)(high >> -exponent) : 0);
}

static inline uint32_t apsp_path_cost_arcs(
	const struct apsp_path_cost_unit *unit, apsp_path_cost cost)
{
	return (uint32_t)(cost & (unit->one - 1));
}

/* A cost has two parts: a sum of lengths and a number of arcs. Return the
   sum of lengths as a double. Only the result is rounded. */
static inline double apsp_path_cost_length(
	const struct apsp_path_cost_unit *unit, apsp_path_cost cost)
{
	return ldexp((double)apsp_path_cost_sum(unit, cost), unit->exponent);
}

#endif
