/*
 * Check, tile by tile, whether a squaring changed any value.
 *
 * Each value is read as an unsigned integer; a double is read as the integer that has
 * the same bits. No value is negative, so the integers have the same order as the
 * doubles. sums[first_sum + t] has two sums over tile t of the buffer: the sum of the
 * low 32 bits of all integers, and the sum of the high 32 bits. If a sum differs from
 * its old value, *changed becomes 1.
 *
 * A tile has 2^14 values, so neither sum wraps. Both sums together give the sum of the
 * tile's integers. A squaring raises no value. So if a value falls, the sum of the
 * integers falls, and at least one of the two sums differs from its old value.
 *
 * One work-group of GROUP items for each tile of the buffer, from tile `first` on.
 */
#include "element.clh"

#ifndef GROUP
#define GROUP 64
#endif

#if ELEMENT == 64
#define BITS(x) as_ulong(x)
#else
#define BITS(x) ((ulong)(x))
#endif

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void tiles_changed(
	__global const value_t *panels, ulong first, ulong first_sum,
	__global ulong2 *sums, __global uint *changed)
{
	__local ulong2 part[GROUP];
	uint id = get_local_id(0);
	ulong t = first + get_group_id(0);
	__global const value_t *tile = panels + t * TILE_SIZE;
	ulong low = 0, high = 0;

	for (uint c = id; c < TILE_SIZE; c += GROUP) {
		low += BITS(tile[c]) & 0xffffffff;
		high += BITS(tile[c]) >> 32;
	}
	part[id] = (ulong2)(low, high);
	for (uint half_group = GROUP / 2; half_group > 0; half_group /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (id < half_group)
			part[id] += part[id + half_group];
	}
	if (id == 0) {
		ulong2 old = sums[first_sum + t];

		if (old.x != part[0].x || old.y != part[0].y)
			*changed = 1;
		sums[first_sum + t] = part[0];
	}
}
