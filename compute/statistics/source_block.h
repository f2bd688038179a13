/*
 * Source blocks: the sources of a table, divided into blocks of neighbours. The
 * sum of a column is added up in a fixed order: in each source block the
 * distances are added from 0 on, in the order of sources; then the sums of the
 * blocks are added, in the order of blocks. So several processes can each
 * compute some blocks, and the sums have the same bits as from one process.
 */
#ifndef APSP_COMPUTE_STATISTICS_SOURCE_BLOCK_H
#define APSP_COMPUTE_STATISTICS_SOURCE_BLOCK_H

#include <stdint.h>

enum {
	APSP_SOURCE_BLOCK_ROWS = 64,
	APSP_SOURCE_BLOCKS_MOST = 256,
};

/*
 * Return the number of sources of each block; the last block may have fewer. It
 * depends on n_vertices alone, because the bits of the sums depend on it.
 * Blocks of 64 sources are small enough to share a graph evenly among
 * processes. In a large graph blocks have more sources, so that there are at
 * most APSP_SOURCE_BLOCKS_MOST blocks: a process that keeps the sums of its
 * blocks keeps two numbers for each block and column.
 */
static inline uint32_t apsp_source_block_rows(uint32_t n_vertices)
{
	uint32_t step = APSP_SOURCE_BLOCK_ROWS * APSP_SOURCE_BLOCKS_MOST;
	uint32_t times = n_vertices / step + (n_vertices % step > 0);

	return APSP_SOURCE_BLOCK_ROWS * times;
}

/* Return the number of source blocks. */
static inline uint32_t apsp_source_blocks(uint32_t n_vertices)
{
	uint32_t rows = apsp_source_block_rows(n_vertices);

	return n_vertices / rows + (n_vertices % rows > 0);
}

/* Return the source after the last source of the block that `source` is in.
   `source` is less than n_vertices. */
static inline uint32_t apsp_source_block_end(
	uint32_t n_vertices, uint32_t source)
{
	uint32_t rows = apsp_source_block_rows(n_vertices);
	uint32_t left = rows - source % rows;

	return left < n_vertices - source ? source + left : n_vertices;
}

#endif
