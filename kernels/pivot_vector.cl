/*
 * Blocked Floyd–Warshall, phase 1, for CPUs: close the diagonal tile (k, k). One
 * work-item; the inner loop runs over neighbouring columns and vectorises.
 * Method: Venkataraman et al. 2003.
 */
#include "element.clh"

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void pivot(
	__global value_t *panels, uint base, uint n_tiles, uint k)
{
	__global value_t *tile = panels + TILE_AT(k, k, base, n_tiles);

	for (uint m = 0; m < TILE; m++) {
		__global const value_t *through = tile + m * TILE;

		for (uint i = 0; i < TILE; i++) {
			__global value_t *row = tile + i * TILE;
			value_t left = row[m];

			if (left == V_INFINITY || i == m)
				continue;
			for (uint j = 0; j < TILE; j++) {
				value_t sum = left + through[j];

				row[j] = sum < row[j] ? sum : row[j];
			}
		}
	}
}
