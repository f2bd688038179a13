/*
 * Exact costs of paths: one integer contains the sum of lengths and the number
 * of arcs (storage/search/README.md, Sums are exact).
 *
 *	cost = sum of lengths / unit · 2^20 + arcs
 *
 * The unit is a power of two, and every length of the graph is a multiple of
 * the unit. So costs can be added in any order without rounding. Of two paths,
 * the path with the smaller cost is the shorter path, or both are equally long
 * and the path with the smaller cost has fewer arcs.
 */
#ifndef APSP_STORAGE_SEARCH_PATH_COST_H
#define APSP_STORAGE_SEARCH_PATH_COST_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/limits.h"

__extension__ typedef __int128 apsp_path_cost;

enum {
	APSP_PATH_COST_ARC_BITS = 20,
	APSP_PATH_COST_ARCS_MAX =
		(1 << APSP_PATH_COST_ARC_BITS) - 1, /* of a path */
};

#define APSP_PATH_COST_ARC ((apsp_path_cost)1 << APSP_PATH_COST_ARC_BITS)
/* A cost greater than twice the cost of any path. */
#define APSP_PATH_COST_INFINITY ((apsp_path_cost)INT64_MAX << 63)

struct apsp_path_cost_unit {
	int exponent; /* the unit is 2^exponent */
	/* two factors whose product is 2^-exponent, because the product itself
	   may be out of a double's range */
	double up[2];
};

static inline struct apsp_path_cost_unit apsp_path_cost_unit_of(int exponent)
{
	return (struct apsp_path_cost_unit){exponent,
		{ldexp(1, -exponent / 2), ldexp(1, -exponent + exponent / 2)}};
}

/* Convert a length to units. The result is whole for each length of the
   graph. */
static inline double apsp_path_cost_units(
	const struct apsp_path_cost_unit *unit, double length)
{
	return length * unit->up[0] * unit->up[1];
}

/* The cost of a path that has 0 arcs and is `units` long. `units` is a whole
   number. */
static inline apsp_path_cost apsp_path_cost_of_units(double units)
{
	/* convert to 64 bits first if possible, because processors have no
	   instruction that converts to 128 bits */
	apsp_path_cost whole = fabs(units) < 0x1p62
				       ? (apsp_path_cost)(int64_t)units
				       : (apsp_path_cost)units;

	return whole * APSP_PATH_COST_ARC;
}

/* The cost of one arc. */
static inline apsp_path_cost apsp_path_cost_of_arc(
	const struct apsp_path_cost_unit *unit, double length)
{
	return apsp_path_cost_of_units(apsp_path_cost_units(unit, length)) + 1;
}

/* Get the sum of lengths that is part of a cost, in units. */
static inline apsp_path_cost apsp_path_cost_sum(apsp_path_cost cost)
{
	return cost >> APSP_PATH_COST_ARC_BITS;
}

static inline uint32_t apsp_path_cost_arcs(apsp_path_cost cost)
{
	return (uint32_t)(cost & (APSP_PATH_COST_ARC - 1));
}

/* Get the sum of lengths that is part of a cost, as a double. Only the result
   is rounded. */
static inline double apsp_path_cost_length(
	const struct apsp_path_cost_unit *unit, apsp_path_cost cost)
{
	return ldexp((double)apsp_path_cost_sum(cost), unit->exponent);
}

#endif
