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
 * With OWN_ROWS an item takes all edges of its rows, so that nobody else writes to
 * them; else distances fall by atomic minima. Those need integers: V of 16 bits
 * is computed in 32, and the doubles, which hold integers, in 64. NONE and a
 * length do not wrap, and are never below NONE.
 */
#include "element.clh"

#ifndef SPAN
#define SPAN 1
#endif
#ifndef EDGE_ROWS
#define EDGE_ROWS 1
#endif
#ifndef OWN_ROWS
#define OWN_ROWS 0
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

#if OWN_ROWS
/* The head's distance stays in a register while edges lead to it. */
static inline uint edges_relax(__global distance_t *d,
	__global const uint *tails, __global const uint *heads,
	__global const distance_t *lengths, ulong first, ulong last)
{
	uint fell = 0;

	for (ulong e = first; e < last;) {
		uint head = heads[e];
		distance_t before = d[head], to = before;

		for (; e < last && heads[e] == head; e++) {
			uint tail = tails[e] & ~BOTH_WAYS;
			distance_t from = d[tail], sum = from + lengths[e];

			to = sum < to ? sum : to;
			if (tails[e] & BOTH_WAYS) {
				sum = to + lengths[e];
				if (sum < from) {
					d[tail] = sum;
					fell = 1;
				}
			}
		}
		fell |= to < before;
		d[head] = to;
	}
	return fell;
}
#else
static inline uint edges_relax(__global distance_t *d,
	__global const uint *tails, __global const uint *heads,
	__global const distance_t *lengths, ulong first, ulong last)
{
	uint fell = 0;

	for (ulong e = first; e < last; e++) {
		uint tail = tails[e] & ~BOTH_WAYS, head = heads[e];
		distance_t from = d[tail], to = d[head];

		if (from + lengths[e] < to) {
			FALL_TO(&d[head], from + lengths[e]);
			fell = 1;
		} else if (tails[e] & BOTH_WAYS && to + lengths[e] < from) {
			FALL_TO(&d[tail], to + lengths[e]);
			fell = 1;
		}
	}
	return fell;
}
#endif

__kernel void bf_round(__global distance_t *d, __global const uint *tails,
	__global const uint *heads, uint n_vertices,
	volatile __global uint *changed, ulong begin, ulong end, uint run,
	uint n_rows, uint round, __global const distance_t *lengths)
{
	ulong first = begin + (ulong)get_global_id(0) * run;
	ulong last = first + run < end ? first + run : end;
	uint r0 = get_global_id(1) * EDGE_ROWS;

	for (uint r = r0; r < r0 + EDGE_ROWS && r < n_rows; r++) {
		if (changed[1 + r] + 1 < round)
			continue;
		if (edges_relax(d + (ulong)r * n_vertices, tails, heads,
			    lengths, first, last)) {
			changed[0] = round;
			changed[1 + r] = round;
		}
	}
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
