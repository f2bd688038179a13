/*
 * Bellman–Ford over a list of edges, for a batch of sources: row r of d holds
 * the distances from position first + r, n_vertices of them, columns by
 * position.
 * Method: "SSSP and BFS on Kepler", 2014.
 *
 * bf_start: d[r][first + r] = 0; all else is NONE before. One item a row.
 * bf_round: relax the edges [begin, end) for all rows that changed in the round
 *           before or in this one. Global size (edges / run, rows / EDGE_ROWS),
 *           both rounded up. changed[0] is the last round in which anything
 *           changed, changed[1 + r] that of row r. Distances fall while others
 *           read them: a value that comes too late is seen in the next round,
 *           which its change brings about.
 * bf_put:   the rows into the panels, as their element. One item SPAN
 *           neighbouring columns of one row: global size (columns / SPAN rounded
 *           up, n_rows). Rows outside this buffer's panels are passed over.
 *
 * Atomic minima need integers, so 16 bits are computed in 32, and the double's
 * integers in 64. NONE and a length do not wrap, and are never below NONE.
 */
#include "element.clh"

#ifndef SPAN
#define SPAN 1
#endif
#ifndef EDGE_ROWS
#define EDGE_ROWS 1
#endif

#define BOTH_WAYS (1u << 31) /* in a tail */

#if ELEMENT == 64
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
typedef long distance_t;
#define NONE (1L << 62)
#define FALL_TO(d, x) atom_min(d, x)
#define VALUE_OF(x) ((x) < NONE ? (value_t)(x) : V_INFINITY)
#else
typedef int distance_t;
#define FALL_TO(d, x) atomic_min(d, x)
#define VALUE_OF(x) ((value_t)(x))
#endif

__kernel void bf_start(__global distance_t *d, uint n_vertices, uint first)
{
	size_t r = get_global_id(0);

	d[r * n_vertices + first + r] = 0;
}

static inline uint relax(
	__global distance_t *d, uint tail, uint head, distance_t length)
{
	distance_t sum = d[tail & ~BOTH_WAYS] + length;

	if (sum < d[head]) {
		FALL_TO(&d[head], sum);
		return 1;
	}
	if (tail & BOTH_WAYS && d[head] + length < d[tail & ~BOTH_WAYS]) {
		FALL_TO(&d[tail & ~BOTH_WAYS], d[head] + length);
		return 1;
	}
	return 0;
}

__kernel void bf_round(__global distance_t *d, __global const uint *tails,
	__global const uint *heads, uint n_vertices,
	volatile __global uint *changed, ulong begin, ulong end, uint run,
	uint n_rows, uint round, __global const distance_t *lengths)
{
	ulong first = begin + (ulong)get_global_id(0) * run;
	ulong last = first + run < end ? first + run : end;
	uint r0 = get_global_id(1) * EDGE_ROWS;
	uint live = 0, fell = 0;

	for (uint r = 0; r < EDGE_ROWS && r0 + r < n_rows; r++)
		live |= (uint)(changed[1 + r0 + r] + 1 >= round) << r;
	if (!live)
		return;
	for (ulong e = first; e < last; e++)
		for (uint r = 0; r < EDGE_ROWS; r++)
			if (live >> r & 1)
				fell |= relax(d + (ulong)(r0 + r) * n_vertices,
						tails[e], heads[e], lengths[e])
					<< r;
	if (!fell)
		return;
	changed[0] = round;
	for (uint r = 0; r < EDGE_ROWS; r++)
		if (fell >> r & 1)
			changed[1 + r0 + r] = round;
}

__kernel void bf_put(__global value_t *panels, uint base, uint n_panels,
	uint n_tiles, uint n_vertices, uint first, __global const distance_t *d)
{
	uint r = get_global_id(1), u = first + r;
	uint begin = get_global_id(0) * SPAN;

	if (u / TILE < base || u / TILE >= base + n_panels)
		return;
	for (uint j = begin; j < begin + SPAN && j < n_vertices; j++)
		panels[VALUE_AT(u, j, base, n_tiles)] =
			VALUE_OF(d[(ulong)r * n_vertices + j]);
}
