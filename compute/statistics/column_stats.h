/*
 * Statistics of columns over the rows that were added so far. The sums of a
 * column are added up by source blocks (source_block.h).
 */
#ifndef APSP_COMPUTE_STATISTICS_COLUMN_STATS_H
#define APSP_COMPUTE_STATISTICS_COLUMN_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/statistics/made_stats.h"
#include "compute/statistics/stat_cells.h"
#include "daemon/base/err.h"

/* All arrays are owned, and have one element for each column. */
struct apsp_column_stats {
	uint32_t n_vertices;
	/* Counts and largest distances are over all rows so far. Sums are over
	   the rows so far of the current source block. */
	struct apsp_stat_columns block;
	/* sums over all earlier source blocks */
	double *sum;
	double *harmonic;
};

/* Make empty statistics. The caller ends *out with apsp_column_stats_done(),
   even after APSP_ENOMEM. */
int apsp_column_stats_init(uint32_t n_vertices, struct apsp_column_stats *out,
	struct apsp_err *err);
void apsp_column_stats_done(struct apsp_column_stats *stats);

/* Return where rows add their columns `first`, `first` + 1, … of the current
   source block. `first` is a multiple of APSP_STAT_COLUMNS. */
struct apsp_stat_columns apsp_column_stats_from(
	const struct apsp_column_stats *stats, size_t first);

/* The rows of a source block are complete in APSP_STAT_COLUMNS columns,
   beginning with column `first`. Add the block's sums to the sums of the
   earlier blocks, and begin the next block in these columns. */
void apsp_column_stats_end_block(struct apsp_column_stats *stats, size_t first);

/* Replace the statistics by those that a device has made. `made` points to
   APSP_N_MADE_COLUMN arrays (made_stats.h). */
void apsp_column_stats_put(struct apsp_column_stats *stats,
	const struct apsp_stat_form *form, const double *made);

/* Return the statistics of column c over all rows. The last source block must
   have ended. */
struct apsp_stat_part apsp_column_stats_get(
	const struct apsp_column_stats *stats,
	const struct apsp_stat_form *form, size_t c);

/* Whether a and b are the same, bit by bit, the current source block
   included. */
bool apsp_column_stats_same(const struct apsp_column_stats *a,
	const struct apsp_column_stats *b, const struct apsp_stat_form *form);

#endif
