/*
 * The number types of the elements of V, the matrix of integer distances:
 * 16-bit and 32-bit integers, and float64 with integer values
 * (compute/graph/README.md, Widths).
 */
#ifndef APSP_COMPUTE_GRAPH_V_ELEMENT_H
#define APSP_COMPUTE_GRAPH_V_ELEMENT_H

#include <stdint.h>

#include "daemon/job/table_file.h"

/* This integer means "no path"; apsp_v_element_store() stores it as the
   element's infinity. */
#define APSP_V_NOWHERE INT64_MAX

/*
 * Return the limit of an element type: an element of this type stores every
 * value of the distance matrix V below the limit exactly. For an integer type,
 * the limit is the integer that stands for infinity. For float64, the limit is
 * 2^53, but apsp_v_element_store() stores infinity as INFINITY.
 */
int64_t apsp_v_element_infinity(enum apsp_element element);

/*
 * Store n integers as elements at `out`. A value that an integer element cannot
 * hold is stored as infinity. APSP_V_NOWHERE is stored as infinity in every
 * element.
 */
void apsp_v_element_store(enum apsp_element element, const int64_t *values,
	uint64_t n, void *out);

/* Return element number `at` of `values` as a double. For integer elements,
   infinity is returned as the integer that stands for it. */
double apsp_v_element_get(
	enum apsp_element element, const void *values, uint64_t at);

#endif
