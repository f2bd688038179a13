/*
 * Rows of the tables in memory, on their way to the file: what makes them,
 * checks them and computes from them passes this on.
 */
#ifndef APSP_COMPUTE_ROW_STRIP_H
#define APSP_COMPUTE_ROW_STRIP_H

#include <stdbool.h>
#include <stdint.h>

struct apsp_made_stats;
struct apsp_row_marks;

/* Neighbouring rows; all borrowed. */
struct apsp_row_strip {
	uint32_t first; /* the source of the first one */
	uint32_t n_rows;
	void *distances; /* V, or path sums */
	const void *predecessors;
	const struct apsp_row_marks *marks; /* NULL: the host made all */
	const struct apsp_made_stats *made; /* NULL: the host is to make them */
	bool has_hops; /* statistics have the rows' hops (row_stats.h) */
};

#endif
