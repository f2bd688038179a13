/*
 * The statistics of a strip of rows that a device has computed
 * (kernels/stats.cl), as the host reads them.
 */
#ifndef APSP_COMPUTE_STATISTICS_MADE_STATS_H
#define APSP_COMPUTE_STATISTICS_MADE_STATS_H

#include <stdint.h>

#include "daemon/base/stats_sections.h"

/* Numbers of a row; a column has the first four. */
enum apsp_made_stat {
	APSP_MADE_COUNT,
	APSP_MADE_SUM,
	APSP_MADE_HARMONIC,
	APSP_MADE_MOST, /* -INFINITY: no path */
	APSP_N_MADE_COLUMN,
	APSP_MADE_HOPS = APSP_N_MADE_COLUMN, /* where V has hops */
	APSP_MADE_MOST_HOPS,
	APSP_N_MADE,
};

/* The words of a strip of rows. */
enum {
	APSP_MADE_LEFT,		    /* not 0: the host makes the statistics */
	APSP_MADE_EXPONENT,	    /* an int; bins are 2 to this power wide */
	APSP_MADE_HOPS_EXPONENT,    /* the same for hops */
	APSP_MADE_DISTANCES_AT = 4, /* the counts of bins */
	APSP_MADE_HOPS_AT = APSP_MADE_DISTANCES_AT + APSP_HISTOGRAM_BINS,
	APSP_MADE_WORDS = APSP_MADE_HOPS_AT + APSP_HISTOGRAM_BINS,
};

/* The arcs of paths whose distances are sums; all borrowed. */
struct apsp_made_hops {
	const uint32_t *rows;	/* the sum over a row's paths */
	const uint32_t *counts; /* n counts: how many paths have so many arcs */
	uint32_t n;		/* 0: distances are V, not path sums */
};

/* All borrowed. */
struct apsp_made_stats {
	/* APSP_N_MADE numbers of each row; NULL: the host makes the statistics
	   of these rows and all later ones */
	const double *rows;
	const uint32_t *words;	    /* APSP_MADE_WORDS */
	struct apsp_made_hops hops; /* of path sums, whose words have no hops */
	/*
	 * The numbers of all rows so far by target: APSP_N_MADE_COLUMN rows of
	 * n_vertices. NULL, except for the last strip of the table and for the
	 * first strip that is left to the host.
	 */
	const double *columns;
};

#endif
