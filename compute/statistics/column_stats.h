/*
 * Statistics of columns. A column has the distances from all sources to one
 * target. The rows are added one after another, and the sums of a column are
 * added up by source blocks (source_block.h).
 */
#ifndef APSP_COMPUTE_STATISTICS_COLUMN_STATS_H
#define APSP_COMPUTE_STATISTICS_COLUMN_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/source_block.h"
#include "compute/statistics/stat_cells.h"
#include "daemon/base/err.h"

/* All arrays are owned, and have one element for each column. */
struct apsp_column_stats {
	uint32_t n_vertices;
	/* Counts and largest distances are over all rows so far. Sums are over
	   the rows that were added since the current source block began. */
	struct apsp_stat_columns block;
	/* sums over all earlier source blocks; if `keeps` is true, over the
	   first n_joined source blocks only */
	double *sum;
	double *harmonic;
	/* True: the sums of each source block are kept apart, and are added up
	   later, because other processes may have the sums of earlier source
	   blocks (stats_pieces.h). Set before the first row. */
	bool keeps;
	/*
	 * Used if `keeps` is true. kept[k] has the sums of all columns over
	 * source block k, followed by their harmonic sums. kept[k] is NULL in
	 * two cases: this process has not added block k; or block k is one of
	 * the first n_joined blocks, so that `sum` and `harmonic` include its
	 * sums.
	 */
	double *kept[APSP_SOURCE_BLOCKS_MOST];
	uint32_t n_joined;
	/* used if `keeps` is true: the source after the source of the last
	   added row */
	uint32_t next;
};

/* Make empty statistics. The caller ends *out with apsp_column_stats_done(),
   even after APSP_ENOMEM. */
int apsp_column_stats_init(uint32_t n_vertices, struct apsp_column_stats *out,
	struct apsp_err *err);
void apsp_column_stats_done(struct apsp_column_stats *stats);

/*
 * Call this before the rows of a strip (row_strip.h) are added. `source` is the
 * source of the strip's first row. If stats->keeps is true, this function
 * allocates memory for the source blocks that end in the strip. APSP_ENOMEM;
 * APSP_EBUG: stats->keeps is true, and a row of a source block is missing, or
 * the rows are not in the order of their sources.
 */
int apsp_column_stats_begin(struct apsp_column_stats *stats, uint32_t source,
	uint32_t n_rows, struct apsp_err *err);

/*
 * After the last row of a source block was added, call this once for each group
 * of APSP_STAT_COLUMNS columns. `source` is the source of this last row, and
 * `first` is the first column of the group. Add the block's sums in these
 * columns to the sums of the earlier blocks, or keep the block's sums. Then
 * begin the next block in these columns.
 */
void apsp_column_stats_end_block(
	struct apsp_column_stats *stats, uint32_t source, size_t first);

/*
 * Call this only if stats->keeps is true. Join the source blocks before block
 * `end`: add the sums of each block to stats->sum and stats->harmonic, unless
 * the block was joined before. APSP_EBUG: the sums of one of these source
 * blocks are missing.
 */
int apsp_column_stats_join(
	struct apsp_column_stats *stats, uint32_t end, struct apsp_err *err);

/*
 * Call this only if stats->keeps is true. Join all source blocks up to `block`.
 * The array `kept` has the sums of source block `block`, which another process
 * has computed. APSP_EBUG: the sums of an earlier source block are missing; or
 * this process has kept or joined this source block already.
 */
int apsp_column_stats_take(struct apsp_column_stats *stats, uint32_t block,
	const double *kept, struct apsp_err *err);

/* Return the statistics of column c over all rows. The last source block must
   have ended. If stats->keeps is true, the sums include only the source blocks
   that were joined. */
struct apsp_stat_part apsp_column_stats_get(
	const struct apsp_column_stats *stats,
	const struct apsp_stat_form *form, size_t c);

#endif
