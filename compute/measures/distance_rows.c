/*
 * From a table's elements to distances; see distance_rows.h.
 */
#include "compute/measures/distance_rows.h"

#include <math.h>
#include <string.h>

/* V holds distance and hops in one number (APSP_DISTANCE_SCALED): keep the
   distance. */
static void scale_undo(double *values, uint32_t n, double scale)
{
	double per_scale = 1 / scale;

	for (uint32_t v = 0; v < n; v++) {
		double whole = floor(values[v] * per_scale);
		double rest = values[v] - whole * scale;

		/* the quotient may be rounded to the next whole number */
		whole += rest < 0 ? -1 : rest >= scale;
		values[v] = isinf(values[v]) ? INFINITY : whole;
	}
}

void apsp_distance_rows_decode(const struct apsp_distance_rows *source,
	const void *rows, uint32_t row, double *out)
{
	uint32_t n = source->n_vertices;
	size_t at = (size_t)row * n;
	const uint16_t *u16 = (const uint16_t *)rows + at;
	const int32_t *i32 = (const int32_t *)rows + at;
	const float *f32 = (const float *)rows + at;

	/* INFINITY is a float: without the casts the integer would become one
	 */
	if (source->element == APSP_ELEMENT_U16)
		for (uint32_t v = 0; v < n; v++)
			out[v] = u16[v] == APSP_V_INFINITY_U16 ? INFINITY
							       : (double)u16[v];
	else if (source->element == APSP_ELEMENT_I32)
		for (uint32_t v = 0; v < n; v++)
			out[v] = i32[v] >= APSP_V_INFINITY_I32 ? INFINITY
							       : (double)i32[v];
	else if (source->element == APSP_ELEMENT_F32)
		for (uint32_t v = 0; v < n; v++)
			out[v] = f32[v];
	else
		memcpy(out, (const double *)rows + at, n * sizeof(*out));
	if (source->kind == APSP_DISTANCE_SCALED)
		scale_undo(out, n, (double)source->scale);
}
