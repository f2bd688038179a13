/*
 * Fill panels (the distance matrix, element.clh) from arcs: infinity everywhere, then
 * one value for each arc, then zeros on the diagonal.
 *
 * fill:    store infinity in all n_values values of the buffer. With g work-items, each
 *          of them stores every g-th value.
 * scatter: store the arcs' lengths. With g work-items, each of them stores the lengths
 *          of every g-th arc. `from` and `to` hold the positions of the arcs' tails and
 *          heads. No two arcs have the same tail and head. Arcs outside this buffer's
 *          panels are skipped. The mark of each arc's tile in `finite` becomes 1,
 *          because the tile may now have finite values.
 * zero:    store 0 on the diagonal, and mark its tiles. One work-item for each
 *          position.
 */
#include "element.clh"

__kernel void fill(__global value_t *panels, ulong n_values)
{
	for (ulong i = get_global_id(0); i < n_values; i += get_global_size(0))
		panels[i] = V_INFINITY;
}

__kernel void scatter(__global value_t *panels, uint base, uint n_panels,
	uint n_tiles, __global uchar *finite, __global const uint *from,
	__global const uint *to, __global const value_t *lengths, ulong n_arcs)
{
	for (ulong e = get_global_id(0); e < n_arcs; e += get_global_size(0)) {
		uint i = from[e] / TILE, j = to[e] / TILE;

		if (i < base || i >= base + n_panels)
			continue;
		panels[VALUE_AT(from[e], to[e], base, n_tiles)] = lengths[e];
		finite[(ulong)i * n_tiles + j] = 1;
	}
}

__kernel void zero(__global value_t *panels, uint base, uint n_panels,
	uint n_tiles, __global uchar *finite, uint n_vertices)
{
	uint v = get_global_id(0), i = v / TILE;

	if (v >= n_vertices || i < base || i >= base + n_panels)
		return;
	panels[VALUE_AT(v, v, base, n_tiles)] = 0;
	finite[(ulong)i * n_tiles + i] = 1;
}
