/*
 * Breadth-first search from many sources at once, for GPUs and for graphs whose lengths
 * are all 1. This file includes multi_source_sweeps.clh. Each source has a lane, which
 * is one bit, and a word has 32 lanes. Lengths are not read. The state d of a batch has
 * 3 + PLANES arrays, each of which has GROUP words for each vertex v:
 *
 *	seen      the sources that have reached v; lanes without a source are set
 *	front 0   the sources that reached v in sweep e, where e is the last even sweep in
 *	          which any source reached v
 *	front 1   the sources that reached v in sweep o, where o is the last odd sweep in
 *	          which any source reached v
 *	plane b   for each source, bit b of the distance to v, which is the number of
 *	          the level in which the source reached v
 *
 * sweep:   sweep t = 2, 3, … computes level t - 1. If some source has not reached a
 *          vertex, the vertex collects, over its incoming arcs, the sources in the
 *          tails' fronts of sweep t - 1. A front may be left from an earlier sweep.
 *          Such a front gives no new source, because its sources were collected in an
 *          earlier sweep. If levels reach infinity, the host tries a wider element
 *          type.
 * harvest: a work-item for each vertex and word; the item computes the distances from
 *          32 sources from the planes. Global size (n_vertices, batches · GROUP),
 *          rounded up to whole groups.
 */
#include "element.clh"

#ifndef LANES
#define LANES 2048
#endif

#define GROUP (LANES / 32)
#include "multi_source_sweeps.clh"

/* number of bits of a distance; the host defines PLANES as the number of bits of
   n_vertices - 1 */
#ifndef PLANES
#define PLANES (ELEMENT == 16 ? 15 : 20)
#endif

__kernel void begin(__global uint *d, __global uint *stamps,
	__global uint *last, uint n_vertices, uint n_sources)
{
	ulong at = get_global_id(0);
	uint batch = get_global_id(1);
	uint v = at / GROUP, word = at % GROUP;
	uint source = batch * LANES + word * 32; /* the first source of the word */
	uint n = source < n_sources ? min(n_sources - source, 32u) : 0;
	ulong size = (ulong)n_vertices * GROUP;

	if (v >= n_vertices)
		return;
	d += batch * size * (3 + PLANES) + at;
	d[0] = n < 32 ? ~0u << n : 0;
	d[size] = d[2 * size] = 0;
	for (uint b = 0; b < PLANES; b++)
		d[(3 + b) * size] = 0;
	stamps_clear(stamps, last, n_vertices, batch, v, word);
}

/* Store that each source has reached itself. The sources of a batch are different
   vertices, so no two work-items write to the same word. */
__kernel void depart(__global uint *d, __global uint *stamps, uint n_vertices,
	__global const uint *sources, uint first, uint n_sources)
{
	uint at = get_global_id(0);
	uint batch = at / LANES, lane = at % LANES;
	ulong size = (ulong)n_vertices * GROUP;
	uint v;

	if (at >= n_sources)
		return;
	v = sources[first + at];
	d += batch * size * (3 + PLANES) + (ulong)v * GROUP + lane / 32;
	d[0] |= 1u << lane % 32;
	/* set the source's bit in the array "front 1", because this is sweep 1, and odd
	   sweeps write to this array */
	d[2 * size] = 1u << lane % 32;
	stamps[(ulong)batch * n_vertices + v] = 1;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void sweep(
	__global const uint *offsets, __global const uint *tails,
	__global const value_t *lengths, uint n_vertices, __global uint *d,
	__global uint *stamps, __global uint *last,
	__global const uint *turns, uint n_long, uint t, uint backward)
{
	__local uint lists[2][GROUP];
	__local uint counts[3];
	__local uint missing;
	uint item = get_local_id(0), batch = get_group_id(1);
	uint v = vertex_of(turns, get_group_id(0), n_long, n_vertices, backward);
	ulong size = (ulong)n_vertices * GROUP;
	__global uint *words = d + batch * size * (3 + PLANES) + item;
	__global const uint *before = words + (2 - t % 2) * size;
	__global uint *stamp = stamps + (ulong)batch * n_vertices;
	ulong own = (ulong)v * GROUP;
	uint at = offsets[v], end = offsets[v + 1], level = t - 1;
	uint seen = words[own], found = 0;
	uint fell_last = last[batch];

	if (item < 3)
		counts[item] = 0;
	if (item == 0)
		missing = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (seen != ~0u)
		missing = 1;
	barrier(CLK_LOCAL_MEM_FENCE);
	/* This condition has the same result in all items of a group, as the barriers
	   of the loop require. fell_last is a copy of last[batch], which other items
	   may change meanwhile. But until the batch is done, last[batch] is t or t - 1,
	   and fell_last + 1 < t is false for both values. Afterwards no item changes
	   last[batch]. */
	if (!missing || fell_last + 1 < t || level >= V_INFINITY)
		end = at;
	for (uint i = 0; at < end; i++, at += GROUP) {
		__local uint *list = lists[i % 2];
		uint e = at + item, a = 0, n;

		if (item == 0)
			counts[(i + 1) % 3] = 0;
		if (e < end && stamp[tails[e]] + 1 >= t)
			list[atomic_inc(&counts[i % 3])] = tails[e];
		barrier(CLK_LOCAL_MEM_FENCE);
		n = counts[i % 3];
		for (; a + LOADS <= n; a += LOADS)
#pragma unroll
			for (int l = 0; l < LOADS; l++)
				found |= before[(ulong)list[a + l] * GROUP];
		for (; a < n; a++)
			found |= before[(ulong)list[a] * GROUP];
	}
	found &= ~seen;
	if (found != 0) {
		words[(1 + t % 2) * size + own] = found;
		words[own] = seen | found;
		for (uint b = 0; level >> b != 0; b++)
			if (level >> b & 1)
				words[(3 + b) * size + own] |= found;
		vertex_stamp(stamp, last + batch, v, t, fell_last);
	}
}

__kernel void harvest(__global const uint *d, uint n_vertices, uint first,
	uint n_sources, __global value_t *panels, uint base, uint n_tiles)
{
	uint v = get_global_id(0), at = get_global_id(1);
	uint batch = at / GROUP, word = at % GROUP;
	uint source = batch * LANES + word * 32; /* counted from `first` */
	ulong size = (ulong)n_vertices * GROUP;
	uint planes[PLANES], seen;

	if (v >= n_vertices || source >= n_sources)
		return;
	d += batch * size * (3 + PLANES) + (ulong)v * GROUP + word;
	seen = d[0];
#pragma unroll
	for (uint b = 0; b < PLANES; b++)
		planes[b] = d[(3 + b) * size];
	for (uint lane = 0; lane < 32 && source + lane < n_sources; lane++) {
		uint value = 0;

#pragma unroll
		for (uint b = 0; b < PLANES; b++)
			value |= (planes[b] >> lane & 1) << b;
		panels[VALUE_AT(first + source + lane, v, base, n_tiles)] =
			seen >> lane & 1 ? (value_t)value : V_INFINITY;
	}
}
