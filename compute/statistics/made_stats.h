/*
 * The layout in which the host reads statistics of a strip of rows that a
 * device has computed (kernels/stats.cl).
 */
#ifndef APSP_COMPUTE_STATISTICS_MADE_STATS_H
#define APSP_COMPUTE_STATISTICS_MADE_STATS_H

#include <stdint.h>

#include "daemon/base/stats_sections.h"

/* The statistics of a row. A column has only the first four of them. */
enum apsp_made_stat {
	APSP_MADE_COUNT,
	APSP_MADE_SUM,
	APSP_MADE_HARMONIC,
	APSP_MADE_MOST, /* -INFINITY: no path */
	APSP_N_MADE_COLUMN,
	/* number of arcs in all paths of the row; only if V contains hops */
	APSP_MADE_HOPS = APSP_N_MADE_COLUMN,
	/* largest number of arcs in a path of the row; only if V contains
	   hops */
	APSP_MADE_MOST_HOPS,
	APSP_N_MADE,
};

/* Indices of the words that a device computes for a strip of rows. */
enum {
	/* not 0: the host makes the statistics of this strip and of all later
	   strips */
	APSP_MADE_LEFT,
	APSP_MADE_EXPONENT,	    /* int e: bins of distances are 2^e wide */
	APSP_MADE_HOPS_EXPONENT,    /* int e: bins of hops are 2^e wide */
	APSP_MADE_DISTANCES_AT = 4, /* the counts of distances begin here */
	/* the counts of hops begin here */
	APSP_MADE_HOPS_AT = APSP_MADE_DISTANCES_AT + APSP_HISTOGRAM_BINS,
	APSP_MADE_WORDS = APSP_MADE_HOPS_AT + APSP_HISTOGRAM_BINS,
};

/* Statistics of hops, which are the numbers of arcs of paths. Used only if
   distances are path sums. All pointers are borrowed. */
struct apsp_made_hops {
	/* for each row, the number of arcs in all its paths */
	const uint32_t *rows;
	const uint32_t *counts; /* counts[t]: the number of paths of t arcs */
	/* number of counts; 0: distances come from V and are not path sums */
	uint32_t n;
};

/* All pointers are borrowed. */
struct apsp_made_stats {
	/* APSP_N_MADE statistics for each row; NULL: the host makes the
	   statistics of these rows and of all later rows */
	const double *rows;
	const uint32_t *words; /* APSP_MADE_WORDS words */
	/* used if distances are path sums, because `words` then has no counts
	   of hops */
	struct apsp_made_hops hops;
	/*
	 * APSP_N_MADE_COLUMN arrays of n_vertices values: for each target, its
	 * statistics over all rows so far. NULL except for the table's last
	 * strip, and for the first strip whose statistics the host makes.
	 */
	const double *columns;
};

#endif
