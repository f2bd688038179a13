/*
 * Pieces: the statistics of one process as bytes, which another process adds to
 * its own. Several processes each add some source blocks (source_block.h) of a
 * table to statistics of their own. One process takes all pieces of the others,
 * and then finishes its statistics; they have the same bits as if it had added
 * all rows. All processes must have made their statistics from the same graph,
 * with the same distance kind and element type.
 *
 * Piece k, for k < apsp_source_blocks(n), has the statistics of source block k.
 * It is an array of doubles:
 *
 *	n           the block's sum of each column
 *	n           the block's harmonic sum of each column
 *	4 · rows    statistics of the block's rows, row after row, in the order
 *	            of enum apsp_row_piece
 *
 * Piece apsp_source_blocks(n), the last piece, has what is the same in any
 * order of adding, over all rows that the process has added. It is a struct
 * apsp_last_piece, which ends in 2 n doubles. Numbers are in the byte order of
 * the host.
 */
#ifndef APSP_COMPUTE_STATISTICS_STATS_PIECES_H
#define APSP_COMPUTE_STATISTICS_STATS_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compute/statistics/row_stats.h"
#include "daemon/base/err.h"
#include "daemon/base/stats_sections.h"

/* The statistics of a row in a piece: of the paths from its source. */
enum apsp_row_piece {
	APSP_ROW_PIECE_REACHES,
	APSP_ROW_PIECE_DISTANCE,
	APSP_ROW_PIECE_HARMONIC,
	APSP_ROW_PIECE_FARTHEST, /* NaN: no path */
	APSP_N_ROW_PIECE,
};

struct apsp_last_piece {
	/* of distances, and of hops */
	struct apsp_histogram histograms[2];
	/* number of rows whose statistics a device has made, and the number of
	   arcs that all paths of these rows have together */
	uint64_t n_made;
	double made_hops;
	/* for each column, the number of paths to it; then, for each column,
	   the largest distance, or -INFINITY if there is no path */
	double columns[];
};

/*
 * Keep the sums of source blocks apart, so that they can be given as pieces.
 * Call this before the first row, also in the process that takes pieces. From
 * then on the rows may come in windows: each window has whole source blocks,
 * and begins after the windows before it, with or without a gap. A strip may
 * begin and end anywhere in its window. Until they are joined, the blocks take
 * 16 bytes for each block and column. The host makes all statistics, because a
 * device does not keep blocks apart.
 */
void apsp_stats_pieces_keep(struct apsp_row_stats *stats);
bool apsp_stats_pieces_kept(const struct apsp_row_stats *stats);

/* Return the size of a piece in bytes. */
size_t apsp_stats_piece_bytes(uint32_t n_vertices, uint32_t piece);

/*
 * Store a piece of `stats` in *out, which has apsp_stats_piece_bytes() bytes
 * and the alignment of a double. `stats` does not change. The last piece must
 * be stored after the last row. APSP_EBUG: `stats` has not kept the source
 * block.
 */
int apsp_stats_piece_give(struct apsp_row_stats *stats, uint32_t piece,
	void *out, struct apsp_err *err);

/*
 * Add a piece of another process to `stats`. Pieces of source blocks must be
 * taken in the order of blocks; blocks that `stats` itself has kept are joined
 * between them. The last pieces of all other processes may be taken in any
 * order, before or after these. APSP_EBUG: the order is wrong, or a source
 * block is missing; APSP_EPROOF: a histogram is impossible.
 */
int apsp_stats_piece_take(struct apsp_row_stats *stats, uint32_t piece,
	const void *bytes, struct apsp_err *err);

#endif
