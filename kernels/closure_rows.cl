/*
 * Kernels that set bits and copy rows. All closure algorithms that run on a device use
 * them.
 *
 * members: for every vertex v, set bit v in row row_of[v]. One work-item for each
 *          vertex.
 * arcs:    for every arc, set the bit of its head in the row of its tail. One work-item
 *          for each arc.
 * share:   for every v in [first, n), copy row row_of[v] to row v. Global size (lines,
 *          rows).
 */
#include "closure.clh"

__kernel void members(__global uint *bits, uint lines,
	__global const uint *row_of, uint n)
{
	uint v = get_global_id(0);

	if (v < n)
		atomic_or(&bits[row_of[v] * HALF_WORDS(lines) + v / 32],
			1u << v % 32);
}

__kernel void arcs(__global uint *bits, uint lines, __global const uint *tails,
	__global const uint *heads, ulong n_arcs)
{
	ulong e = get_global_id(0);

	if (e < n_arcs)
		atomic_or(&bits[tails[e] * HALF_WORDS(lines) + heads[e] / 32],
			1u << heads[e] % 32);
}

__kernel void share(__global line_t *bits, uint lines,
	__global const uint *row_of, uint first, uint n)
{
	uint line = get_global_id(0), v = first + get_global_id(1);

	if (line < lines && v < n && row_of[v] != v)
		bits[(ulong)v * lines + line] =
			bits[(ulong)row_of[v] * lines + line];
}
