/*
 * The closure, row by row. To close a row means to OR the rows of all its successors
 * into it. The successors' rows must be closed before that. `order` lists ranks
 * (compute/closure/condensation.h). The row of rank k is rows[k], and the rows of its
 * successors are successors[offsets[k]] to successors[offsets[k + 1] - 1]. Method:
 * Purdom 1970.
 *
 * close_rows: close the rows of the ranks order[first] to order[end - 1]. A work-item
 *             closes one line of `together` rows, one row after another. A row may
 *             depend on earlier rows of the same item, because a line depends only on
 *             the same line of other rows, and the item has closed these lines before.
 *             No item of a launch needs the result of another item. Global size
 *             (lines, ranks / together).
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
