/*
 * One boolean squaring of a reflexive bit matrix: out = in · in.
 *
 * square: compute rows [first, end) of the n rows of `out`. A line is LINE
 *         neighbouring words of a row. A group computes WIDE neighbouring lines
 *         in each of TALL · SQUARE_ROWS rows. It reads 64 rows of `in` at a time
 *         into local memory. 64 bits of row i of `in` say which of these 64 rows
 *         are ORed into row i of `out`. *changed becomes 1 if a row of `out`
 *         differs from the same row of `in`. Global size (lines, rows /
 *         SQUARE_ROWS).
 *
 * Method: Xiao et al., transitive closure in OpenCL. In that paper, a matrix element is
 * a byte; here it is a bit.
 */
#include "closure.clh"

#ifndef SQUARE_ROWS
#define SQUARE_ROWS 4
#endif
#define DEPTH 64

__kernel __attribute__((reqd_work_group_size(WIDE, TALL, 1))) void square(
	__global const line_t *in, __global line_t *out, uint lines, uint n,
	uint first, uint end, __global uint *changed)
{
	SHARED line_t tile[DEPTH][WIDE];
	__global const ulong *words = (__global const ulong *)in;
	uint x = get_local_id(0), y = get_local_id(1);
	uint line = get_global_id(0);
	bool inside = line < lines, differs = false;
	ulong named[SQUARE_ROWS];
	line_t sum[SQUARE_ROWS];

	first += get_group_id(1) * TALL * SQUARE_ROWS + y;
	for (uint r = 0; r < SQUARE_ROWS; r++)
		sum[r] = 0;
	for (uint k = 0; k < n; k += DEPTH) {
		for (uint d = y; d < DEPTH; d += TALL)
			tile[d][x] = inside && k + d < n
					     ? in[(ulong)(k + d) * lines + line]
					     : 0;
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint r = 0; r < SQUARE_ROWS; r++) {
			uint i = first + r * TALL;

			named[r] = i < end ? words[(ulong)i * lines * LINE +
						   k / DEPTH]
					   : 0;
		}
		for (uint d = 0; d < DEPTH; d++) {
			line_t value = tile[d][x];

#pragma unroll
			for (uint r = 0; r < SQUARE_ROWS; r++)
				sum[r] |= value & (line_t)(0 - (named[r] >> d & 1));
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	for (uint r = 0; r < SQUARE_ROWS; r++) {
		uint i = first + r * TALL;
		ulong at = (ulong)i * lines + line;

		if (i >= end || !inside)
			continue;
		differs |= LINES_DIFFER(sum[r], in[at]);
		out[at] = sum[r];
	}
	if (differs)
		*changed = 1;
}
