/*
 * A strip is a range of neighbouring rows of the tables, in memory. The rows of
 * a strip are checked for wrong values ("proved"), written to the table file
 * and added to the statistics.
 */
#ifndef APSP_COMPUTE_ROW_STRIP_H
#define APSP_COMPUTE_ROW_STRIP_H

#include <stdint.h>

struct apsp_made_stats;
struct apsp_row_marks;

/* All borrowed. */
struct apsp_row_strip {
	uint32_t first; /* source vertex of the strip's first row */
	uint32_t n_rows;
	/* the distance of each vertex pair in the strip: either copied from V,
	   the matrix of distances, or the sum of the lengths along the path */
	void *distances;
	const void *predecessors;
	/* checksums that the device computed; NULL: the host made the rows */
	const struct apsp_row_marks *marks;
	/* statistics that the device computed; NULL: the host computes them */
	const struct apsp_made_stats *made;
};

#endif
