/*
 * The closure by Warshall's algorithm in blocks of 32 pivots. The pivots are the
 * components, from the last one in topological order to the first. So a pivot's row is
 * closed before it is ORed into other rows, and a row needs only the pivots to which
 * its component has arcs. In a sparse graph, most rows have no such pivots in most
 * blocks, and skip these blocks.
 *
 * names: the arcs between components, as bits, one block of heads after another. Bit k
 *        of word i in block b is set if component i has an arc to component 32 b + k.
 *        n_padded is the number of components, rounded up to a multiple of 32:
 *
 *	| block 0: word 0 … word n_padded - 1 | block 1: … | … |
 *
 * rows:  for each component, the row of its first vertex; for padding, any row.
 *
 * condense: make `names` from the arcs; of[v] is the component of vertex v. One
 *           work-item for each arc.
 * pivots:   close the rows of a block's components through each other. One work-item
 *           for each line.
 * spread:   for each component in [first, end), find the pivots of the block to which
 *           the component has arcs, and OR the rows of these pivots into the
 *           component's row. All these components come before the block. The pivots'
 *           rows are already closed. A group computes WIDE lines of TALL · SPREAD_ROWS
 *           rows. The group first divides the 32 pivots into sets of four, and stores
 *           the ORs of all subsets of each set in local memory. So one OR takes
 *           in all pivots that a row needs from a set, and a row needs eight ORs. Global
 *           size (lines, rows / SPREAD_ROWS).
 *
 * Method: Warshall 1962; blocks as Floyd–Warshall (Katz & Kider 2008); subsets:
 * Arlazarov, Dinic, Kronrod & Faradzev 1970.
 */
#include "closure.clh"

#ifndef SPREAD_ROWS
#define SPREAD_ROWS 32
#endif
#define PIVOTS 32
#define QUADS (PIVOTS / 4)

__kernel void condense(__global const uint *tails, __global const uint *heads,
	ulong n_arcs, __global const uint *of, uint n_padded,
	__global uint *names)
{
	ulong e = get_global_id(0);
	uint from, to;

	if (e >= n_arcs)
		return;
	from = of[tails[e]];
	to = of[heads[e]];
	if (from != to)
		atomic_or(&names[(ulong)(to / PIVOTS) * n_padded + from],
			1u << to % PIVOTS);
}

__kernel void pivots(__global line_t *bits, uint lines,
	__global const uint *rows, __global const uint *names, uint n_padded,
	uint block)
{
	uint line = get_global_id(0);
	line_t value[PIVOTS];

	if (line >= lines)
		return;
	rows += block * PIVOTS;
	names += (ulong)block * n_padded + block * PIVOTS;
#pragma unroll
	for (uint p = 0; p < PIVOTS; p++)
		value[p] = bits[(ulong)rows[p] * lines + line];
#pragma unroll
	for (uint q = 1; q < PIVOTS; q++) {
		uint p = PIVOTS - 1 - q, named = names[p];

#pragma unroll
		for (uint k = 0; k < PIVOTS; k++)
			if (k > p && (named >> k & 1))
				value[p] |= value[k];
		if (named != 0)
			bits[(ulong)rows[p] * lines + line] = value[p];
	}
}

__kernel __attribute__((reqd_work_group_size(WIDE, TALL, 1))) void spread(
	__global line_t *bits, uint lines, __global const uint *rows,
	__global const uint *names, uint n_padded, uint block, uint first,
	uint end)
{
	SHARED line_t sums[QUADS][16][WIDE];
	uint x = get_local_id(0), y = get_local_id(1);
	uint line = get_global_id(0);
	bool inside = line < lines;

	first += get_group_id(1) * TALL * SPREAD_ROWS;
	end = min(end, first + TALL * SPREAD_ROWS);
	names += (ulong)block * n_padded;
	for (uint q = y; q < QUADS; q += TALL) {
		sums[q][0][x] = 0;
		for (uint b = 0; b < 4; b++) {
			uint p = rows[block * PIVOTS + 4 * q + b];
			line_t pivot =
				inside ? bits[(ulong)p * lines + line] : 0;

			for (uint s = 0; s < 1u << b; s++)
				sums[q][(1u << b) + s][x] =
					sums[q][s][x] | pivot;
		}
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint i = first + y; i < end; i += TALL) {
		uint named = names[i];
		line_t value = 0;

		if (named == 0 || !inside)
			continue;
#pragma unroll
		for (uint q = 0; q < QUADS; q++)
			value |= sums[q][named >> 4 * q & 15][x];
		bits[(ulong)rows[i] * lines + line] |= value;
	}
}
