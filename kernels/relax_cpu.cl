/*
 * Blocked Floyd–Warshall, all three phases, for CPUs, on the distance matrix V: V(i,j)
 * = min(V(i,j), V(i,k) ⊗ V(k,j)) for the tiles (i, j) of two rectangles (element.clh)
 * and the pivot tiles k of a block. ⊗ is the min-plus product or, for widest paths, the
 * min-max product (semiring.clh). Method: Venkataraman et al. 2003; Katz & Kider 2008.
 *
 * panels:  the buffer of all targets, which begins at tile row base
 * pivots:  the buffer of the pivot block's rows, which begins at tile row pivot_base
 * first_k, n_k: the pivot tiles
 * close:   number of the next pivot tile, which is tile (close, close). If this tile is
 *          among the targets, the item that relaxes it also runs phase 1 on it
 *          afterwards: the item relaxes the tile through the tile's own vertices. So
 *          phase 1 runs while other items relax their tiles.
 * later:   if this is not 0, a tile in the row or column of a pivot is relaxed only
 *          through the pivots after this pivot
 * finite:  [i · n_tiles + j] says whether tile (i, j) may have finite values. Products
 *          with a tile that has no finite values are skipped.
 * turns:   [0] the next tile, [1] the number of items that found no tile left; both
 *          are 0 before and after a launch
 *
 * A launch has one work-item for each processor, and an item fetches the next tile when
 * it has finished one. PoCL assigns all groups to threads at the start of a launch. So
 * if each tile had its own group, all processors would wait at the end for the slowest
 * processor.
 *
 * A block of four rows by four vectors of the target stays in registers while the item
 * relaxes the block through the vertices of a pivot tile. The loops over rows and
 * vectors must be unrolled. Otherwise PoCL 3.1 keeps the values in memory, and the
 * kernel has only half the speed.
 *
 * Phase 2 is the product V(i,k) ⊗ V(k,j) in which i or j is equal to k. A tile may
 * improve while another item reads it in the same launch; compute/distance/relax.h
 * explains why the old and the new values are both right.
 */
#include "element.clh"
#include "lanes.clh"
#include "semiring.clh"

#if ELEMENT == 16 && WIDEST >= 32
#define LANES 32
#elif ELEMENT <= 32
#define LANES 16
#else
#define LANES 8
#endif

typedef VECTOR(VALUE, LANES) lanes_t;

#define STRIP (4 * LANES)
#define LEAST(x, y) ((y) < (x) ? (y) : (x))

static void relax_strip(__global value_t *target, __global const value_t *left,
	__global const value_t *top)
{
	for (uint r = 0; r < TILE; r += 4) {
		__global lanes_t *c[4];
		lanes_t acc[4][4];

#pragma unroll
		for (int y = 0; y < 4; y++) {
			c[y] = (__global lanes_t *)(target + (r + y) * TILE);
#pragma unroll
			for (int x = 0; x < 4; x++)
				acc[y][x] = c[y][x];
		}
		for (uint m = 0; m < TILE; m++) {
			__global const lanes_t *b =
				(__global const lanes_t *)(top + m * TILE);

#pragma unroll
			for (int y = 0; y < 4; y++) {
				lanes_t a = left[(r + y) * TILE + m];

#pragma unroll
				for (int x = 0; x < 4; x++) {
					lanes_t sum = EXTEND(a, b[x]);

					acc[y][x] = LEAST(acc[y][x], sum);
				}
			}
		}
#pragma unroll
		for (int y = 0; y < 4; y++)
#pragma unroll
			for (int x = 0; x < 4; x++)
				c[y][x] = acc[y][x];
	}
}

/* Phase 1 of blocked Floyd–Warshall: relax a tile through its own vertices. The inner
   loop runs over neighbouring columns, so that the compiler can vectorise it. */
static void close_tile(__global value_t *tile)
{
	for (uint m = 0; m < TILE; m++) {
		__global const value_t *through = tile + m * TILE;

		for (uint i = 0; i < TILE; i++) {
			__global value_t *row = tile + i * TILE;
			value_t left = row[m];

			if (left == V_INFINITY || i == m)
				continue;
			for (uint j = 0; j < TILE; j++) {
				value_t sum = EXTEND(left, through[j]);

				row[j] = sum < row[j] ? sum : row[j];
			}
		}
	}
}

/* Relax tile (i, j) through the pivot tiles [first_k, end). If i and j both equal
   `close`, then run phase 1: relax the tile through its own vertices. */
static void relax_tile(__global value_t *panels, uint base,
	__global const value_t *pivots, uint pivot_base, uint n_tiles,
	uint first_k, uint end, uint i, uint j, uint close, uint later,
	__global const uchar *finite)
{
	__global value_t *target = panels + TILE_AT(i, j, base, n_tiles);

	for (uint k = later ? first_later(i, j, first_k, end) : first_k; k < end;
		k++) {
		if (!finite[(ulong)i * n_tiles + k] ||
			!finite[(ulong)k * n_tiles + j])
			continue;
		for (uint x = 0; x < TILE; x += STRIP)
			relax_strip(target + x,
				panels + TILE_AT(i, k, base, n_tiles),
				pivots + TILE_AT(k, j, pivot_base, n_tiles) +
					x);
	}
	if (i == close && j == close)
		close_tile(target);
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void relax(
	__global value_t *panels, uint base, __global const value_t *pivots,
	uint pivot_base, uint n_tiles, uint first_k, uint n_k,
	uint4 first_rows, uint4 first_columns, uint4 second_rows,
	uint4 second_columns, uint close, uint later,
	__global const uchar *finite, volatile __global uint *turns)
{
	uint n = first_rows.y * first_columns.y +
		second_rows.y * second_columns.y;
	uint turn;

	while ((turn = atomic_inc(&turns[0])) < n) {
		uint2 at = tile_of(turn, first_rows, first_columns, second_rows,
			second_columns);

		relax_tile(panels, base, pivots, pivot_base, n_tiles, first_k,
			first_k + n_k, at.x, at.y, close, later, finite);
	}
	/* the last item that finds no tile sets both counters to 0 for the next launch */
	if (atomic_inc(&turns[1]) + 1 == get_num_groups(0)) {
		atomic_xchg(&turns[0], 0);
		atomic_xchg(&turns[1], 0);
	}
}
