/*
 * Floyd–Warshall, one pivot vertex k in each launch: V(i,j) = min(V(i,j), V(i,k) +
 * V(k,j)). Method: Harish & Narayanan 2007.
 *
 * The kernel writes V in place while it reads row k and column k. This is safe: V(k,k)
 * is 0, so row k and column k do not change in step k. One work-item for SPAN
 * neighbouring columns of one row of a tile: global size (TILE / SPAN, TILE · number of
 * tiles in the buffer).
 */
#include "element.clh"

#ifndef SPAN
#define SPAN 1
#endif

__kernel void fw_step(__global value_t *panels, uint base, uint n_tiles,
	__global const value_t *pivots, uint pivot_base, uint k)
{
	uint row = get_global_id(1) % TILE;
	ulong tile = get_global_id(1) / TILE;
	uint i = base + tile / n_tiles, j = tile % n_tiles;
	__global value_t *target = panels + tile * TILE_SIZE + row * TILE +
		get_global_id(0) * SPAN;
	__global const value_t *pivot_row = pivots +
		VALUE_AT(k, j * TILE, pivot_base, n_tiles) +
		get_global_id(0) * SPAN;
	value_t left = panels[VALUE_AT(i * TILE + row, k, base, n_tiles)];

	if (left == V_INFINITY)
		return;
	for (uint c = 0; c < SPAN; c++) {
		value_t sum = left + pivot_row[c];

		target[c] = sum < target[c] ? sum : target[c];
	}
}
