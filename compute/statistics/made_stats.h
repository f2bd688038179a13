/*
 * What a device tells of the statistics of some rows (kernels/stats.cl), as it
 * comes to the host.
 */
#ifndef APSP_COMPUTE_STATISTICS_MADE_STATS_H
#define APSP_COMPUTE_STATISTICS_MADE_STATS_H

#include <stddef.h>
#include <stdint.h>

#include "compute/statistics/histogram.h"
#include "compute/statistics/stat_cells.h"
#include "daemon/base/err.h"

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

/* Words of a strip of rows. */
enum {
	APSP_MADE_LEFT,		    /* not 0: the rows are left to the host */
	APSP_MADE_EXPONENT,	    /* an int; the width of bins is 2 to this */
	APSP_MADE_HOPS_EXPONENT,    /* the same for hops */
	APSP_MADE_DISTANCES_AT = 4, /* how many are in each bin */
	APSP_MADE_HOPS_AT = APSP_MADE_DISTANCES_AT + APSP_HISTOGRAM_BINS,
	APSP_MADE_WORDS = APSP_MADE_HOPS_AT + APSP_HISTOGRAM_BINS,
};

/* Arcs of paths whose distances are sums; all borrowed. */
struct apsp_made_hops {
	const uint32_t *rows;	/* how many a row's paths have together */
	const uint32_t *counts; /* n counts, of the paths with so many */
	uint32_t n;		/* 0: distances are V */
};

/* All borrowed. */
struct apsp_made_stats {
	/* APSP_N_MADE numbers for each row; NULL: these rows and all later ones
	   are left to the host */
	const double *rows;
	const uint32_t *words;	    /* APSP_MADE_WORDS */
	struct apsp_made_hops hops; /* of path sums, whose words have none */
	/*
	 * With the last rows made, or the first that are left to the host, what
	 * all rows made have by target: APSP_N_MADE_COLUMN rows of n_vertices.
	 * Else NULL.
	 */
	const double *columns;
};

/* Write the columns made, which are there, to *to. */
void apsp_made_stats_columns(const struct apsp_made_stats *made,
	const struct apsp_stat_form *form, size_t n_vertices,
	const struct apsp_stat_columns *to);

/* Add the counts of bins. */
void apsp_made_stats_bins(const struct apsp_made_stats *made,
	struct apsp_bins *distances, struct apsp_bins *hops);

/* A row's sums, and how many arcs its paths have together. */
struct apsp_made_row {
	struct apsp_stat_part all;
	double hops;
};

struct apsp_made_row apsp_made_stats_row(
	const struct apsp_made_stats *made, uint32_t r);

/*
 * The same by the host, of a row's n distances, of which that of number self is
 * the source's own; hops are only those that V has. cells is scratch.
 */
struct apsp_made_row apsp_made_row_sum(const struct apsp_stat_form *form,
	const void *distances, size_t n, size_t self,
	struct apsp_stat_cells *cells);

/* APSP_EPROOF: the device made another row than the host. */
int apsp_made_row_compare(const struct apsp_made_row *made,
	const struct apsp_made_row *own, uint32_t source, struct apsp_err *err);

#endif
