/*
 * Fill panels (the distance matrix, element.clh) from arcs: infinity everywhere, then
 * one value for each arc, then zeros on the diagonal.
 *
 * fill:    store infinity in all n_values values of the buffer. Any number of
 *          work-items.
 * scatter: store the arcs' lengths. Any number of work-items. `from` and `to` hold the
 *          positions of the arcs' tails and heads. No two arcs have the same tail and
 *          head. Arcs outside this buffer's panels are skipped. The mark of each arc's
 *          tile in `finite` becomes 1, because the tile may now have finite values. A
 *          mark that is 1 is not stored again, because many processors use the few cache
 *          lines of the marks.
 * zero:    store 0 on the diagonal, and mark its tiles. One work-item for each
 *          position.
 */
#include "blocks.clh"
#include "element.clh"

__kernel void fill(__global value_t *panels, ulong n_values)
{
	FOR_EACH(i, n_values)
		panels[i] = V_INFINITY;
}

__kernel void scatter(__global value_t *panels, uint base, uint n_panels,
	uint n_tiles, __global uchar *finite, __global const uint *from,
	__global const uint *to, __global const value_t *lengths, ulong n_arcs)
{
	FOR_EACH(e, n_arcs) {
		uint i = from[e] / TILE, j = to[e] / TILE;
		__global uchar *mark = finite + (ulong)i * n_tiles + j;

		if (i < base || i >= base + n_panels)
			continue;
		panels[VALUE_AT(from[e], to[e], base, n_tiles)] = lengths[e];
		if (*mark == 0)
			*mark = 1;
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
