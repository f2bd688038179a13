/*
 * The members of struct apsp_row_stats. Only row_stats.c, stats_pieces.c and
 * stats_device.c include this file.
 */
#ifndef APSP_COMPUTE_STATISTICS_ROW_STATS_STATE_H
#define APSP_COMPUTE_STATISTICS_ROW_STATS_STATE_H

#include "compute/graph/integers.h"
#include "compute/graph/lengths.h"
#include "compute/statistics/column_stats.h"
#include "compute/statistics/histogram.h"

/* The bins and the scratch memory of one thread. */
struct apsp_stats_hand {
	struct apsp_bins distances;
	struct apsp_bins hops;
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
	uint32_t n_made; /* number of rows whose statistics a device has made */
	/* total number of arcs of all paths of these n_made rows */
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

#endif
