/*
 * The rows of the finished distance table, decoded into numbers for measures.
 */
#ifndef APSP_COMPUTE_MEASURES_DISTANCE_ROWS_H
#define APSP_COMPUTE_MEASURES_DISTANCE_ROWS_H

#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/base/table_file.h"

struct apsp_distance_rows {
	uint32_t n_vertices;
	enum apsp_distance_kind kind;
	enum apsp_element element;
	int64_t scale; /* of APSP_DISTANCE_SCALED */
	/* Copy rows [first, first + n_rows) to out; one thread at a time. */
	int (*read)(void *ctx, uint32_t first, uint32_t n_rows, void *out,
		struct apsp_err *err);
	void *ctx;
};

/* Decode row number `row` of those that were read. INFINITY: no path. */
void apsp_distance_rows_decode(const struct apsp_distance_rows *source,
	const void *rows, uint32_t row, double *out);

#endif
