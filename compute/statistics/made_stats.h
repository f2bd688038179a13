/*
 * A device computes statistics of a strip, which consists of some neighbouring
 * rows of the table (kernels/stats.cl). This file describes the layout of these
 * statistics, and adds them to the host's statistics.
 */
#ifndef APSP_COMPUTE_STATISTICS_MADE_STATS_H
#define APSP_COMPUTE_STATISTICS_MADE_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/row_strip.h"
#include "daemon/base/err.h"
#include "daemon/job/stats_sections.h"

/* The statistics that a device computes for each row. */
enum apsp_made_stat {
	APSP_MADE_COUNT,
	APSP_MADE_SUM,
	APSP_MADE_HARMONIC,
	APSP_MADE_MOST, /* -INFINITY: no path */
	/* total number of arcs of all paths of the row; set only if each cell
	   of the rows is distance · scale + number of arcs */
	APSP_MADE_HOPS,
	/* largest number of arcs of a path of the row; set only if each cell of
	   the rows is distance · scale + number of arcs */
	APSP_MADE_MOST_HOPS,
	APSP_N_MADE,
};

/*
 * The statistics that a device computes for each column: the first four
 * statistics of enum apsp_made_stat, and then the statistics of this enum. A
 * column's APSP_MADE_SUM and APSP_MADE_HARMONIC are sums over all source blocks
 * that have ended (source_block.h).
 */
enum apsp_made_column_stat {
	/* the column's sum over the rows that were added since the current
	   source block (source_block.h) began */
	APSP_MADE_BLOCK_SUM = APSP_MADE_MOST + 1,
	APSP_MADE_BLOCK_HARMONIC,
	APSP_N_MADE_COLUMN,
};

/* Indices in the array of words that a device computes for a strip of rows. */
enum {
	/* not 0: the host computes the statistics of this strip's rows and of
	   all later rows */
	APSP_MADE_LEFT,
	/* this word is an int e: the bins of distances are 2^e wide */
	APSP_MADE_EXPONENT,
	/* this word is an int e: the bins of hops (numbers of arcs) are 2^e
	   wide */
	APSP_MADE_HOPS_EXPONENT,
	/* the counts of distances begin at this word */
	APSP_MADE_DISTANCES_AT = 4,
	/* the counts of hops begin at this word */
	APSP_MADE_HOPS_AT = APSP_MADE_DISTANCES_AT + APSP_HISTOGRAM_BINS,
	APSP_MADE_WORDS = APSP_MADE_HOPS_AT + APSP_HISTOGRAM_BINS,
};

/* Statistics of hops. The hops of a path are its number of arcs. Used only if
   distances are path sums. All pointers are borrowed. */
struct apsp_made_hops {
	/* for each row, the total number of arcs of all its paths */
	const uint32_t *rows;
	const uint32_t *counts; /* counts[t]: the number of paths of t arcs */
	/* number of elements of `counts`; 0 if distances are integers */
	uint32_t n;
};

/* All pointers are borrowed. */
struct apsp_made_stats {
	/* for each row, APSP_N_MADE statistics; NULL: the host computes the
	   statistics of this strip's rows and of all later rows */
	const double *rows;
	const uint32_t *words; /* APSP_MADE_WORDS words */
	/* used if distances are path sums; then `words` has no counts of
	   hops */
	struct apsp_made_hops hops;
	/*
	 * APSP_N_MADE_COLUMN arrays of n_vertices values: for each target, the
	 * statistics of its column (enum apsp_made_column_stat). Only one strip
	 * of the table has these arrays: the table's last strip if the device
	 * makes all statistics, otherwise the first strip whose statistics the
	 * host makes. For all other strips, the pointer is NULL.
	 */
	const double *columns;
};

struct apsp_row_stats;

/*
 * Add to `stats` the statistics that a device has computed for a strip of rows.
 * strip->made points to these statistics and must not be NULL. The strip must
 * begin with the row after the last added row. As a check, the host computes
 * the statistics of the strip's last row itself, and compares them with the
 * device's statistics. If strip->made->rows is NULL, the device has computed no
 * statistics of these rows, and the caller calls apsp_row_stats_rows() next.
 * APSP_EPROOF: the device and the host have different statistics of the last
 * row.
 */
int apsp_made_stats_add(struct apsp_row_stats *stats,
	const struct apsp_row_strip *strip, struct apsp_err *err);

/* Whether a device has made the statistics of the strip's rows. */
static inline bool apsp_made_stats_exist(const struct apsp_row_strip *strip)
{
	return strip->made && strip->made->rows;
}

#endif
