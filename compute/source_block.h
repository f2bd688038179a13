/*
 * The sources of a table are divided into blocks of neighbouring sources, which
 * are called source blocks. The sum of a column is added up in a fixed order.
 * In each source block, a sum starts with 0, and the distances are added to it
 * in the order of sources. Then the sums of the source blocks are added in the
 * order of the blocks. So several processes can each compute some source
 * blocks, and the final sums have the same bits as the sums that one process
 * computes.
 */
#ifndef APSP_COMPUTE_SOURCE_BLOCK_H
#define APSP_COMPUTE_SOURCE_BLOCK_H

#include <stdint.h>

enum {
	APSP_SOURCE_BLOCK_ROWS = 64,
	APSP_SOURCE_BLOCKS_MOST = 256,
};

/*
 * Return the number of sources of each source block; the last block may have
 * fewer. The number depends on n_vertices alone, because another number would
 * change the bits of the sums. Blocks of 64 sources are small enough to share a
 * graph evenly among processes. In a large graph, blocks have more sources, so
 * that there are at most APSP_SOURCE_BLOCKS_MOST blocks: a process may have to
 * keep two numbers for each block and column. The number of sources is a power
 * of two, so that the batches of sources in a few source blocks can mostly be
 * shared evenly among the processors.
 */
static inline uint32_t apsp_source_block_rows(uint32_t n_vertices)
{
	uint32_t rows = APSP_SOURCE_BLOCK_ROWS;

	while ((uint64_t)rows * APSP_SOURCE_BLOCKS_MOST < n_vertices)
		rows *= 2;
	return rows;
}

/* Return the number of source blocks. */
static inline uint32_t apsp_source_blocks(uint32_t n_vertices)
{
	uint32_t rows = apsp_source_block_rows(n_vertices);

	return n_vertices / rows + (n_vertices % rows > 0);
}

/* Return the vertex after the last source of the source block that contains
   `source`. `source` is less than n_vertices. */
static inline uint32_t apsp_source_block_end(
	uint32_t n_vertices, uint32_t source)
{
	uint32_t rows = apsp_source_block_rows(n_vertices);
	uint32_t left = rows - source % rows;

	return left < n_vertices - source ? source + left : n_vertices;
}

#endif
