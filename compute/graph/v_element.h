/*
 * The elements that V is computed in: 16-bit and 32-bit integers, and float64
 * that holds integers (compute/graph/README.md, Widths).
 */
#ifndef APSP_COMPUTE_GRAPH_V_ELEMENT_H
#define APSP_COMPUTE_GRAPH_V_ELEMENT_H

#include <stdint.h>

#include "daemon/base/table_file.h"

/* Stored as the element's infinity by apsp_v_element_store(). */
#define APSP_V_NOWHERE INT64_MAX

/*
 * Where the element's numbers end: it holds every V below, exactly. For float64
 * that is 2^53, past which it rounds; its infinity in memory is INFINITY.
 */
int64_t apsp_v_element_infinity(enum apsp_element element);

/*
 * Store n integers as elements at out. Those that an integer element cannot
 * hold become its infinity, as APSP_V_NOWHERE becomes that of any element.
 */
void apsp_v_element_store(enum apsp_element element, const int64_t *values,
	uint64_t n, void *out);

/* Element number `at` of values as a double, infinity as a large number. */
double apsp_v_element_get(
	enum apsp_element element, const void *values, uint64_t at);

#endif
