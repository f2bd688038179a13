/*
 * Stores and reads elements of the distance matrix V; see v_element.h.
 */
#include "compute/graph/v_element.h"

#include <math.h>

#define EXACT_END (INT64_C(1) << 53)

int64_t apsp_v_element_infinity(enum apsp_element element)
{
	return element == APSP_ELEMENT_U16   ? APSP_V_INFINITY_U16
	       : element == APSP_ELEMENT_I32 ? APSP_V_INFINITY_I32
					     : EXACT_END;
}

void apsp_v_element_store(
	enum apsp_element element, const int64_t *values, uint64_t n, void *out)
{
	uint16_t *u16 = out;
	int32_t *i32 = out;
	double *f64 = out;

	for (uint64_t e = 0; e < n; e++) {
		int64_t v = values[e];

		if (element == APSP_ELEMENT_U16)
			u16[e] = v < APSP_V_INFINITY_U16 ? (uint16_t)v
							 : APSP_V_INFINITY_U16;
		else if (element == APSP_ELEMENT_I32)
			i32[e] = v < APSP_V_INFINITY_I32 ? (int32_t)v
							 : APSP_V_INFINITY_I32;
		else
			f64[e] = v == APSP_V_NOWHERE ? INFINITY : (double)v;
	}
}

double apsp_v_element_get(
	enum apsp_element element, const void *values, uint64_t at)
{
	if (element == APSP_ELEMENT_U16)
		return ((const uint16_t *)values)[at];
	if (element == APSP_ELEMENT_I32)
		return ((const int32_t *)values)[at];
	return ((const double *)values)[at];
}
