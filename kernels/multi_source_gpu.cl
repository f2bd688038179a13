/*
 * Bellman–Ford from many sources at once, for GPUs. This file includes
 * multi_source_sweeps.clh. Only a few batches are solved at a time, so that their
 * distances stay in the device's cache. The layout of the distances d:
 *
 *	d | batch 0: v = 0: lane 0 … LANES-1 | v = 1: … | … | batch 1: … |
 *
 * A lane is the distance from one source. A word (words.clh) is one lane, or in 16 bits
 * two neighbouring lanes. Each value in d is infinity or the length of some walk, and
 * values only fall.
 *
 * begin:   store infinity as every distance
 * depart:  store 0 as the distance from each source to itself
 * harvest: store d, transposed, in the panels (element.clh). One work-group for SQUARE
 *          × SQUARE values: global size (n_vertices, batches · LANES / ITEM_ROWS),
 *          rounded up to whole groups of (SQUARE, SQUARE / ITEM_ROWS).
 */
#include "element.clh"
#include "words.clh"

#ifndef LANES
#define LANES (2048 / ELEMENT)
#endif

#define GROUP (LANES / WORD_VALUES)
#include "multi_source_sweeps.clh"

#define SQUARE 32
#define ITEM_ROWS 4

/* WORD_OF(x) is a word in which each value is x. */
#if ELEMENT == 16
#define WORD_OF(x) ((uint)(x) | (uint)(x) << 16)
#else
#define WORD_OF(x) (x)
#endif

__kernel void begin(__global word_t *d, __global uint *stamps,
	__global uint *last, uint n_vertices, uint n_sources)
{
	ulong at = get_global_id(0);
	uint batch = get_global_id(1);
	uint v = at / GROUP, word = at % GROUP;

	if (v >= n_vertices)
		return;
	d[((ulong)batch * n_vertices + v) * GROUP + word] = WORD_OF(V_INFINITY);
	stamps_clear(stamps, last, n_vertices, batch, v, word);
}

__kernel void depart(__global word_t *d, __global uint *stamps, uint n_vertices,
	__global const uint *sources, uint first, uint n_sources)
{
	__global value_t *values = (__global value_t *)d;
	uint at = get_global_id(0);
	ulong v;

	if (at >= n_sources)
		return;
	v = (ulong)(at / LANES) * n_vertices + sources[first + at];
	values[v * LANES + at % LANES] = 0;
	stamps[v] = 1;
}

/* Return the minimum of `best` and n sums. Each sum is the length of an arc in the list
   plus the distance of the arc's tail. */
static inline word_t relaxed_through(word_t best, __global word_t *lanes,
	__local const uint *list, __local const word_t *list_length, uint n)
{
	uint a = 0;

	for (; a + LOADS <= n; a += LOADS) {
		word_t from[LOADS];

#pragma unroll
		for (int l = 0; l < LOADS; l++)
			from[l] = lanes[(ulong)list[a + l] * GROUP];
#pragma unroll
		for (int l = 0; l < LOADS; l++)
			best = relaxed(best, list_length[a + l], from[l]);
	}
	for (; a < n; a++)
		best = relaxed(
			best, list_length[a], lanes[(ulong)list[a] * GROUP]);
	return best;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void sweep(
	__global const uint *offsets, __global const uint *tails,
	__global const value_t *lengths, uint n_vertices, __global word_t *d,
	__global uint *stamps, __global uint *last,
	__global const uint *turns, uint n_long, uint t, uint backward)
{
	__local uint list_tails[2][GROUP];
	__local word_t list_lengths[2][GROUP];
	__local uint counts[3];
	uint item = get_local_id(0), batch = get_group_id(1);
	uint v = vertex_of(turns, get_group_id(0), n_long, n_vertices, backward);
	__global word_t *lanes =
		d + (ulong)batch * n_vertices * GROUP + item;
	__global uint *stamp = stamps + (ulong)batch * n_vertices;
	uint at = offsets[v], end = offsets[v + 1];
	word_t old = lanes[(ulong)v * GROUP], best = old;
	uint fell_last = last[batch];

	/* This condition has the same result in all items of a group, as the barriers
	   of the loop require. Until the batch is done, last[batch] is t or t - 1, and
	   the condition is false for both values. Afterwards no item changes
	   last[batch]. */
	if (fell_last + 1 < t)
		end = at;
	if (item < 3)
		counts[item] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint i = 0; at < end; i++, at += GROUP) {
		__local uint *list = list_tails[i % 2];
		__local word_t *list_length = list_lengths[i % 2];
		uint e = at + item;

		if (item == 0)
			counts[(i + 1) % 3] = 0;
		if (e < end) {
			uint tail = tails[e];

			if (stamp[tail] + 1 >= t) {
				uint slot = atomic_inc(&counts[i % 3]);

				list[slot] = tail;
				list_length[slot] = WORD_OF(lengths[e]);
			}
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		best = relaxed_through(
			best, lanes, list, list_length, counts[i % 3]);
	}
	if (best != old) {
		lanes[(ulong)v * GROUP] = best;
		vertex_stamp(stamp, last + batch, v, t, fell_last);
	}
}

__kernel __attribute__((reqd_work_group_size(SQUARE, SQUARE / ITEM_ROWS, 1)))
void harvest(__global const word_t *d, uint n_vertices, uint first,
	uint n_sources, __global value_t *panels, uint base, uint n_tiles)
{
	__local value_t square[SQUARE][SQUARE + 1];
	__global const value_t *values = (__global const value_t *)d;
	uint x = get_local_id(0), y = get_local_id(1);
	uint v = get_group_id(0) * SQUARE;
	uint source = get_group_id(1) * SQUARE; /* counted from `first` */
	uint batch = (source + x) / LANES, lane = (source + x) % LANES;

	for (uint r = y; r < SQUARE; r += SQUARE / ITEM_ROWS)
		if (v + r < n_vertices && source + x < n_sources)
			square[r][x] = values[((ulong)batch * n_vertices + v +
						      r) * LANES + lane];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint r = y; r < SQUARE; r += SQUARE / ITEM_ROWS)
		if (v + x < n_vertices && source + r < n_sources)
			panels[VALUE_AT(first + source + r, v + x, base,
				n_tiles)] = square[x][r];
}
