/*
 * Statistics of columns over the rows that were added so far. The sums of a
 * column are added up by source blocks (source_block.h).
 */
#ifndef APSP_COMPUTE_STATISTICS_COLUMN_STATS_H
#define APSP_COMPUTE_STATISTICS_COLUMN_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/statistics/made_stats.h"
#include "compute/statistics/source_block.h"
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
	/* Keep the sums of each source block, and add them up later, because
	   other processes have some of the blocks before it (stats_pieces.h).
	   Set before the first row. */
	bool keeps;
	/* Used if `keeps`. kept[k] has the sums of the columns over source
	   block k, and then the harmonic sums. It is NULL if block k has not
	   been added here, or is one of the first n_joined blocks, whose sums
	   are in `sum` and `harmonic`. */
	double *kept[APSP_SOURCE_BLOCKS_MOST];
	uint32_t n_joined;
	uint32_t next; /* the source after the last row that was added */
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

/*
 * Call this before the rows of a strip are added. `source` is the source of the
 * strip's first row. If `stats` keeps blocks, this function allocates memory
 * for the blocks that end in the strip. APSP_ENOMEM; APSP_EBUG: `stats` keeps
 * blocks, and the rows of a block have a gap.
 */
int apsp_column_stats_begin(struct apsp_column_stats *stats, uint32_t source,
	uint32_t n_rows, struct apsp_err *err);

/* The row of `source` was the last row of its source block in APSP_STAT_COLUMNS
   columns, beginning with column `first`. Add the block's sums to the sums of
   the earlier blocks, or keep them. Then begin the next block in these
   columns. */
void apsp_column_stats_end_block(
	struct apsp_column_stats *stats, uint32_t source, size_t first);

/*
 * `stats` keeps blocks. Add the sums of all blocks before block `end` to
 * stats->sum and stats->harmonic. APSP_EBUG: one of these blocks was neither
 * kept nor taken.
 */
int apsp_column_stats_join(
	struct apsp_column_stats *stats, uint32_t end, struct apsp_err *err);

/* `stats` keeps blocks. Join the blocks before `block`, and then `block`, whose
   sums another process has kept. APSP_EBUG: a block before it is missing, or a
   block after it has already been joined. */
int apsp_column_stats_take(struct apsp_column_stats *stats, uint32_t block,
	const double *kept, struct apsp_err *err);

/* Replace the statistics by those that a device has made. `made` points to
   APSP_N_MADE_COLUMN arrays (made_stats.h). */
void apsp_column_stats_put(struct apsp_column_stats *stats,
	const struct apsp_stat_form *form, const double *made);

/* Another process has added n_paths more paths to column c, and `most` is the
   largest distance of these paths; -INFINITY: there is none. Add them to the
   count and to the largest distance of the column. */
void apsp_column_stats_add_paths(struct apsp_column_stats *stats,
	const struct apsp_stat_form *form, size_t c, uint32_t n_paths,
	double most);

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
