/*
 * The closure, row by row. A row is closed after the rows of all its successors: it
 * becomes the OR of their rows. `order` lists ranks. The row of rank k is rows[k], and
 * the rows of its successors are successors[offsets[k]], … Method: Purdom 1970.
 *
 * close_rows: close the rows at places [first, end) of order. A work-item closes the
 *             rows at `together` places, one after another. A line of a row depends
 *             only on the same line of other rows, so an item needs no other items,
 *             even where each row depends on the one before. Global size (lines,
 *             places / together).
 */
#include "closure.clh"

__kernel void close_rows(__global line_t *bits, uint lines,
	__global const uint *order, __global const uint *rows,
	__global const ulong *offsets, __global const uint *successors,
	uint first, uint end, uint together)
{
	uint line = get_global_id(0);
	uint place = first + get_global_id(1) * together;

	if (line >= lines)
		return;
	end = end - min(place, end) > together ? place + together : end;
	for (; place < end; place++) {
		uint k = order[place];
		ulong at = (ulong)rows[k] * lines + line;
		line_t value = bits[at];

		for (ulong s = offsets[k]; s < offsets[k + 1]; s++)
			value |= bits[(ulong)successors[s] * lines + line];
		bits[at] = value;
	}
}
