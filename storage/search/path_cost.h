/*
 * Exact costs of paths: the sum of lengths and the number of arcs in one
 * integer (storage/search/README.md, Sums are exact).
 *
 *	cost = sum of lengths / unit · 2^20 + arcs
 *
 * The unit is a power of two that every length of the graph is a multiple of.
 * So costs add without rounding in any order, and the smaller cost is the
 * shorter path, or of equally long ones the path with fewer arcs.
 */
#ifndef APSP_STORAGE_SEARCH_PATH_COST_H
#define APSP_STORAGE_SEARCH_PATH_COST_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

__extension__ typedef __int128 apsp_path_cost;

enum {
	APSP_PATH_COST_ARC_BITS = 20,
	/* arcs of a path, and of a walk */
	APSP_PATH_COST_ARCS_MAX = (1 << APSP_PATH_COST_ARC_BITS) - 1,
	APSP_PATH_COST_WALK_MAX = 100000,
};

#define APSP_PATH_COST_ARC ((apsp_path_cost)1 << APSP_PATH_COST_ARC_BITS)
/* Above every cost, and half of it is, too. */
#define APSP_PATH_COST_INFINITY ((apsp_path_cost)INT64_MAX << 63)

struct apsp_path_cost_unit {
	int exponent; /* the unit is 2^exponent */
	/* their product is 2^-exponent, which may be past a double's range */
	double up[2];
};

static inline struct apsp_path_cost_unit apsp_path_cost_unit_of(int exponent)
{
	return (struct apsp_path_cost_unit){exponent,
		{ldexp(1, -exponent / 2), ldexp(1, -exponent + exponent / 2)}};
}

/* A length as a number of units: whole for a length of the graph. */
static inline double apsp_path_cost_units(
	const struct apsp_path_cost_unit *unit, double length)
{
	return length * unit->up[0] * unit->up[1];
}

/* Whole units without arcs. */
static inline apsp_path_cost apsp_path_cost_of_units(double units)
{
	/* a processor has no conversion to 128 bits */
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

/* The sum of lengths in units, without the arcs. */
static inline apsp_path_cost apsp_path_cost_sum(apsp_path_cost cost)
{
	return cost >> APSP_PATH_COST_ARC_BITS;
}

static inline uint32_t apsp_path_cost_arcs(apsp_path_cost cost)
{
	return (uint32_t)(cost & (APSP_PATH_COST_ARC - 1));
}

/* The sum of lengths, rounded once. */
static inline double apsp_path_cost_length(
	const struct apsp_path_cost_unit *unit, apsp_path_cost cost)
{
	return ldexp((double)apsp_path_cost_sum(cost), unit->exponent);
}

#endif
