/*
 * The statistics sections of a table file (table_file.h). They are computed
 * from the distances that the file stores. They count only pairs of two
 * different vertices for which a path from the first to the second exists.
 *
 * If the kind of the distances is APSP_DISTANCE_WIDTH, these statistics are
 * about the ranks of widths. The rows DISTANCE_… and HARMONIC_… then add up
 * ranks, so they mean nothing to users. The rows FARTHEST_… have the ranks of
 * the narrowest pair from v and of the narrowest pair to v. The first histogram
 * counts pairs by rank. The pairs of the ranks 1 to r are exactly the pairs
 * that are at least WIDTHS[r - 1] wide. If r + 1 is a multiple of the bins'
 * width, the next bin begins at the rank r + 1, so whole bins count exactly
 * these pairs. There are no hops, so the second histogram is empty.
 */
#ifndef APSP_DAEMON_JOB_STATS_SECTIONS_H
#define APSP_DAEMON_JOB_STATS_SECTIONS_H

#include <stdint.h>

/* The rows of the section APSP_SECTION_VERTEX_STATS. Each row has one value for
   each vertex v. */
enum apsp_vertex_stat {
	APSP_STAT_REACHES,    /* the number of other vertices that v reaches */
	APSP_STAT_REACHED_BY, /* the number of other vertices that reach v */
	APSP_STAT_DISTANCE_OUT, /* the sum of distances from v */
	APSP_STAT_DISTANCE_IN,	/* the sum of distances to v */
	APSP_STAT_HARMONIC_OUT, /* the sum of 1/d over all distances d from v */
	APSP_STAT_HARMONIC_IN,	/* the sum of 1/d over all distances d to v */
	APSP_STAT_FARTHEST_OUT, /* the largest distance from v; NaN: no path */
	APSP_STAT_FARTHEST_IN,	/* the largest distance to v; NaN: no path */
	/* the lowest index of a vertex in v's strong component */
	APSP_STAT_STRONG,
	/* the lowest index of a vertex in v's weak component */
	APSP_STAT_WEAK,
	APSP_N_VERTEX_STATS,
};

enum {
	APSP_HISTOGRAM_BINS = 2046,
};

/*
 * A histogram of distances or of hops: counts[k] is the number of pairs whose
 * value is at least (first + k) · width and less than (first + k + 1) · width.
 * `width` is a power of two. It is 1 if the values are whole and there are
 * enough bins.
 */
struct apsp_histogram {
	double width;
	/* number of the first bin, which is counts[0]; negative if the least
	   value is negative */
	int64_t first;
	uint64_t counts[APSP_HISTOGRAM_BINS];
};

#endif
