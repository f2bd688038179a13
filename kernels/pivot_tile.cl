/*
 * Blocked Floyd–Warshall, phase 1, for GPUs: close the diagonal tile (k, k) with
 * one work-group of 16 × 16. The tile stays in registers, 8 × 8 values an item,
 * row m and column m go round through local memory, in two buffers so that one
 * barrier a step is enough. Local memory: 4 · TILE values.
 * Method: Katz & Kider 2008, section 4.
 *
 * Item (x, y) holds rows y + 16·r and columns x + 16·c.
 */
#include "element.clh"

#define SIDE 16
#define HELD (TILE / SIDE)

__kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1))) void pivot(
	__global value_t *panels, uint base, uint n_tiles, uint k)
{
	__local value_t rows[2][TILE], columns[2][TILE];
	__global value_t *tile = panels + TILE_AT(k, k, base, n_tiles);
	uint x = get_local_id(0), y = get_local_id(1);
	value_t held[HELD][HELD];

#pragma unroll
	for (int r = 0; r < HELD; r++)
#pragma unroll
		for (int c = 0; c < HELD; c++)
			held[r][c] = tile[(y + SIDE * r) * TILE + x + SIDE * c];
#pragma unroll
	for (int block = 0; block < HELD; block++) {
		/* unrolled outside only, so that `held` is indexed by constants */
		for (uint m = 0; m < SIDE; m++) {
			uint b = m & 1;

			if (y == m)
#pragma unroll
				for (int c = 0; c < HELD; c++)
					rows[b][x + SIDE * c] = held[block][c];
			if (x == m)
#pragma unroll
				for (int r = 0; r < HELD; r++)
					columns[b][y + SIDE * r] =
						held[r][block];
			barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
			for (int r = 0; r < HELD; r++) {
				value_t left = columns[b][y + SIDE * r];

#pragma unroll
				for (int c = 0; c < HELD; c++) {
					value_t sum =
						left + rows[b][x + SIDE * c];

					held[r][c] = sum < held[r][c]
						? sum
						: held[r][c];
				}
			}
		}
	}
#pragma unroll
	for (int r = 0; r < HELD; r++)
#pragma unroll
		for (int c = 0; c < HELD; c++)
			tile[(y + SIDE * r) * TILE + x + SIDE * c] = held[r][c];
}
