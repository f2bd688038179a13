/*
 * Decodes the elements of DISTANCE and PREDECESSOR (daemon/job/table_file.h). A
 * function that decodes an element returns false if no solver writes such an
 * element. apsp_value_v(), apsp_value_sum() and apsp_value_predecessor() have
 * no branches, so that the compiler can use vector instructions for whole rows.
 */
#ifndef APSP_STORAGE_TABLES_TABLE_VALUE_H
#define APSP_STORAGE_TABLES_TABLE_VALUE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "daemon/job/table_file.h"

#define APSP_NO_PREDECESSOR UINT32_MAX

/* The largest valid magnitude of an integer distance, which contains a distance
   and a number of hops (table_file.h). float64 holds every integer up to this
   magnitude. */
#define APSP_VALUE_V_MAX 9007199254740992.0

/* Messages about values that no solver writes. A table file with such a value
   is damaged. */
#define APSP_VALUE_BAD_DISTANCE "a distance is out of its range"
#define APSP_VALUE_BAD_PREDECESSOR "a predecessor is not a vertex"
/* a vertex has a distance, but no arc to it is the last arc of a path of this
   length */
#define APSP_VALUE_NOT_TIGHT "a distance is not that of a path"
/* a predecessor is stored as the rank of an arc, but no arc has this rank */
#define APSP_VALUE_BAD_RANK "a predecessor is not an arc"

/*
 * Decode the distance and the hops that the integer distance `v` contains
 * (table_file.h), if `v` has at most 32 bits. If there is no path, the distance
 * is INFINITY, and hops is UINT32_MAX. If every length is 1 (only_hops), then
 * `v`, hops and distance are equal.
 */
static inline bool apsp_value_v(int32_t v, int32_t infinity, bool only_hops,
	double scale, double *distance, uint32_t *hops)
{
	bool reached = v != infinity;
	double whole = only_hops ? v : floor(v / scale);
	double rest = only_hops ? v : v - whole * scale;
	bool in_range = (rest >= 0) & (rest <= INT32_MAX);

	*distance = reached ? whole : INFINITY;
	*hops = reached ? (uint32_t)(int32_t)rest : UINT32_MAX;
	return (v <= infinity) & (in_range | (v == infinity));
}

/*
 * Decode the distance and the hops that the integer distance `v` contains
 * (table_file.h), if `v` has 64 bits. apsp_value_v() does the same if `v` has
 * at most 32 bits. `v` is divided as an integer, because the quotient of two
 * doubles would be rounded.
 */
static inline bool apsp_value_wide_v(double v, bool only_hops, int64_t scale,
	double *distance, uint32_t *hops)
{
	int64_t whole, rest;

	*distance = INFINITY;
	*hops = UINT32_MAX;
	if (v == INFINITY)
		return true;
	if (!(fabs(v) <= APSP_VALUE_V_MAX) || v != floor(v))
		return false;
	whole = (int64_t)v / scale - ((int64_t)v % scale < 0);
	rest = only_hops ? (int64_t)v : (int64_t)v - whole * scale;
	*distance = only_hops ? v : (double)whole;
	*hops = (uint32_t)rest;
	return rest >= 0 && rest <= INT32_MAX;
}

/* the result of apsp_value_integer() if there is no path */
#define APSP_VALUE_NOWHERE INT64_MAX

/* Decode the integer distance (table_file.h), given the bits of an element of
   DISTANCE. */
static inline bool apsp_value_integer(
	uint32_t element, uint64_t bits, int64_t *out)
{
	double wide;

	if (element == APSP_ELEMENT_F64) {
		memcpy(&wide, &bits, sizeof(wide));
		*out = APSP_VALUE_NOWHERE;
		if (wide == INFINITY)
			return true;
		if (!(fabs(wide) <= APSP_VALUE_V_MAX))
			return false;
		*out = (int64_t)wide;
		return true;
	}
	*out = element == APSP_ELEMENT_U16 ? (int64_t)bits
					   : (int32_t)(uint32_t)bits;
	if (*out == (element == APSP_ELEMENT_U16 ? APSP_V_INFINITY_U16
						 : APSP_V_INFINITY_I32))
		*out = APSP_VALUE_NOWHERE;
	return true;
}

/* Whether an arc of this length is the last arc of a shortest path. `from` is
   the integer distance (table_file.h) from the path's source to the arc's tail.
   `to` is the integer distance from the path's source to the arc's head. */
static inline bool apsp_value_is_tight(const struct apsp_table_header *header,
	int64_t from, double length, int64_t to)
{
	uint64_t value = 1;

	if (header->distance_kind == APSP_DISTANCE_SCALED)
		value += (uint64_t)(int64_t)length * (uint64_t)header->scale;
	return (int64_t)((uint64_t)from + value) == to;
}

/* Decode a distance if lengths are real numbers; INFINITY: there is no path. */
static inline bool apsp_value_sum(double sum, double *distance)
{
	*distance = sum;
	return sum > -INFINITY; /* false for NaN, too */
}

/* Return the element of PREDECESSOR that means that there is no predecessor. */
static inline uint32_t apsp_value_no_predecessor(
	const struct apsp_table_header *header)
{
	switch (header->sections[APSP_SECTION_PREDECESSOR].element) {
	case APSP_ELEMENT_U8:
		return UINT8_MAX;
	case APSP_ELEMENT_U16:
		return UINT16_MAX;
	default:
		return UINT32_MAX;
	}
}

/* Decode the index of a predecessor. `none` is the value that was returned by
   apsp_value_no_predecessor(). */
static inline bool apsp_value_predecessor(uint32_t v, uint32_t none,
	const struct apsp_table_header *header, uint32_t *predecessor)
{
	*predecessor = v == none ? APSP_NO_PREDECESSOR : v;
	return (v == none) | (v < header->n_vertices);
}

#endif
