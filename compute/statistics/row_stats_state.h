/*
 * The members of struct apsp_row_stats. Only row_stats.c, made_stats.c,
 * stats_pieces.c and stats_device.c include this file.
 */
#ifndef APSP_COMPUTE_STATISTICS_ROW_STATS_STATE_H
#define APSP_COMPUTE_STATISTICS_ROW_STATS_STATE_H

#include "compute/graph/integers.h"
#include "compute/graph/lengths.h"
#include "compute/source_block.h"
#include "compute/statistics/histogram.h"
#include "compute/statistics/stat_cells.h"
#include "daemon/base/err.h"

/*
 * Statistics of columns. A column has the distances from all sources to one
 * target. The rows are added one after another, and the sums of a column are
 * added up by source blocks (source_block.h). All arrays are owned, and have
 * one element for each column.
 */
struct apsp_column_stats {
	uint32_t n_vertices;
	/* In `block`, counts and largest distances are over all rows so far,
	   but sums are only over the rows that were added since the current
	   source block began. */
	struct apsp_stat_columns block;
	/* sums over all source blocks that have ended; if `keeps` is true, only
	   over the first n_joined source blocks */
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
	/* used if `keeps` is true: the source after that of the last added
	   row */
	uint32_t next;
};

/* The bins and the scratch memory of one thread. */
struct apsp_stats_hand {
	struct apsp_bins distances;
	struct apsp_bins hops;
	/* total number of arcs of the paths in `hops`, added up apart from the
	   bins; 0 if the kind is APSP_DISTANCE_HOPS */
	uint64_t n_hops;
	/* a cell was split into distance and hops wrongly: it had as many hops
	   as the scale, or more */
	bool hops_past_scale;
	struct apsp_stat_cells cells;
};

struct apsp_row_stats {
	const struct apsp_lengths *lengths;
	const struct apsp_integers *integers;
	struct apsp_stat_form form;
	size_t n_blocks;
	struct apsp_column_stats columns;
	/* Each row of a strip (row_strip.h) has n_blocks parts. A part has the
	   row's sums over one block of columns. */
	struct apsp_stat_part *parts;
	size_t n_parts;
	double *vertices; /* the content of APSP_SECTION_VERTEX_STATS */
	/* total number of arcs of all paths in the rows whose statistics a
	   device has made */
	double made_hops;
	/* total number of arcs of all paths of the last row of a strip
	   (row_strip.h), counted by the host */
	double last_hops;
	unsigned int width;
	struct apsp_stats_hand *hands;
};

/* Move the counts from the bins of all threads to the bins in stats->hands[0].
   This function may be called several times. */
void apsp_row_stats_join_bins(struct apsp_row_stats *stats);

/*
 * Add the sums of source block `block`, which another process has computed, to
 * the sums of the earlier blocks. Before that, join all earlier blocks that
 * this process has kept. `kept` has the sums of all columns over the block,
 * followed by their harmonic sums. Call this only for statistics that keep
 * source blocks. APSP_EBUG: the sums of an earlier source block are missing; or
 * this process has kept or joined this source block already.
 */
int apsp_row_stats_take_block(struct apsp_row_stats *stats, uint32_t block,
	const double *kept, struct apsp_err *err);

/* Store the statistics of all paths from v (`in` is 0) or to v (`in` is 1). */
static inline void apsp_row_stats_put(struct apsp_row_stats *stats, uint32_t v,
	int in, const struct apsp_stat_part *all)
{
	size_t n = stats->lengths->n_vertices;
	double *at = stats->vertices + v;

	at[(APSP_STAT_REACHES + in) * n] = all->count;
	at[(APSP_STAT_DISTANCE_OUT + in) * n] = all->sum;
	at[(APSP_STAT_HARMONIC_OUT + in) * n] = all->harmonic;
	at[(APSP_STAT_FARTHEST_OUT + in) * n] =
		all->count > 0 ? all->most : (double)NAN;
}

#endif
