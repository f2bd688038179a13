/*
 * Distances as a table file's elements (daemon/job/table_file.h).
 */
#ifndef APSP_TESTS_TABLE_CELL_H
#define APSP_TESTS_TABLE_CELL_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "daemon/job/table_file.h"

/* Store V, or a path sum, as number `at` of cells; INFINITY: no path. */
static inline void table_cell_put(
	void *cells, enum apsp_element element, size_t at, double value)
{
	size_t size = apsp_element_size(element);
	char *to = (char *)cells + at * size;

	if (element == APSP_ELEMENT_U16) {
		uint16_t v =
			isinf(value) ? APSP_V_INFINITY_U16 : (uint16_t)value;

		memcpy(to, &v, size);
	} else if (element == APSP_ELEMENT_I32) {
		int32_t v = isinf(value) ? APSP_V_INFINITY_I32 : (int32_t)value;

		memcpy(to, &v, size);
	} else if (element == APSP_ELEMENT_F32) {
		float v = (float)value;

		memcpy(to, &v, size);
	} else {
		memcpy(to, &value, size);
	}
}

#endif
