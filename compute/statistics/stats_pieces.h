/*
 * If several processes share the rows of a table, each process computes the
 * statistics of some source blocks (source_block.h). It stores them as bytes,
 * in several pieces. One process adds the pieces of all other processes to its
 * own statistics, and then finishes its statistics. The finished statistics
 * have the same bits as if this process had added all rows. All processes must
 * have made their statistics from the same graph, with the same distance kind
 * and element type.
 *
 * Piece k, for k < apsp_source_blocks(n), has the statistics of source block k.
 * It is an array of doubles:
 *
 *	n           the block's sum of each column
 *	n           the block's harmonic sum of each column
 *	4 · rows    for each of the block's rows, four statistics of the paths
 *	            from the row's source: their number, the sum and the
 *	            harmonic sum of their lengths, and the largest length (NaN:
 *	            there is no path)
 *
 * Piece apsp_source_blocks(n) is the last piece. It describes all rows that the
 * process has added, and has only statistics that do not depend on the order of
 * adding. It is a struct apsp_last_piece, whose array `columns` has 2 n
 * doubles. Numbers are in the byte order of the host.
 */
#ifndef APSP_COMPUTE_STATISTICS_STATS_PIECES_H
#define APSP_COMPUTE_STATISTICS_STATS_PIECES_H

#include <stdint.h>

#include "compute/message.h"
#include "compute/statistics/row_stats.h"
#include "daemon/base/err.h"
#include "daemon/job/stats_sections.h"

struct apsp_last_piece {
	/* total number of arcs of the paths in the histogram of hops, added up
	   apart from the histogram */
	uint64_t n_hops;
	uint64_t hops_past_scale; /* as in row_stats_state.h: 1 or 0 */
	/* the histogram of distances, and the histogram of hops */
	struct apsp_histogram histograms[2];
	/* for each column, the number of paths to it; then, for each column,
	   the largest distance, or -INFINITY if there is no path */
	double columns[];
};

/*
 * Keep the sums of each source block separately, so that they can be stored as
 * pieces. Every process calls this before its first row, including the process
 * that adds the pieces of the other processes. Afterwards rows may come in
 * windows: ranges of whole source blocks, in ascending order, with or without
 * gaps between them. A strip (row_strip.h) may begin and end anywhere in its
 * window. The sums take 16 bytes for each source block and column until they
 * are joined (row_stats_state.h). The host makes all statistics, because a
 * device does not keep source blocks separately.
 */
void apsp_stats_pieces_keep(struct apsp_row_stats *stats);

/*
 * Append a piece of `stats` to a message, without changing the statistics. Only
 * pieces may come before it in the message, so that it is aligned like a
 * double. Call this for the last piece only after the last row was added.
 * APSP_EBUG: `stats` has not kept the source block; APSP_ENOMEM.
 */
int apsp_stats_piece_give(struct apsp_row_stats *stats, uint32_t piece,
	struct apsp_message *message, struct apsp_err *err);

/*
 * Add the next piece of another process's message to `stats`. Call this for the
 * pieces of source blocks in the order of the blocks. Before it adds a source
 * block, the function adds up the earlier source blocks that `stats` itself has
 * kept. The last pieces of other processes may be added in any order, before or
 * after the pieces of source blocks. APSP_EBUG: the order is wrong, or a source
 * block is missing; APSP_EPROOF: a histogram is impossible; APSP_ENOMEM: the
 * message has too few bytes.
 */
int apsp_stats_piece_take(struct apsp_row_stats *stats, uint32_t piece,
	struct apsp_message *message, struct apsp_err *err);

#endif
