/*
 * Neighbouring rows of the tables in memory, which are proved, written to the
 * file and added to statistics.
 */
#ifndef APSP_COMPUTE_ROW_STRIP_H
#define APSP_COMPUTE_ROW_STRIP_H

#include <stdint.h>

struct apsp_made_stats;
struct apsp_row_marks;

/* All borrowed. */
struct apsp_row_strip {
	uint32_t first; /* source of the first row */
	uint32_t n_rows;
	void *distances; /* V, or path sums */
	const void *predecessors;
	const struct apsp_row_marks *marks; /* NULL: the host made the rows */
	const struct apsp_made_stats *made; /* NULL: the host makes statistics
					     */
};

#endif
