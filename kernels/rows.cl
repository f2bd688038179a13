/*
 * Panels by rows of vertices.
 *
 * rows: out[r][j] = V(rows r0 + r, j) in upload order, for n_rows rows;
 *       position maps a vertex to its place in the panels. One work-item SPAN
 *       neighbouring columns of one row: global size (columns / SPAN rounded up,
 *       n_rows). Rows outside this buffer's panels are passed over.
 * essential: flags[e] = the arc's length equals V between its ends, which is
 *       what an arc needs to end a shortest path (design.md, decision 9). from
 *       and to are positions. One work-item an arc, strided.
 */
#include "element.clh"

#ifndef SPAN
#define SPAN 1
#endif

__kernel void rows(__global const value_t *panels, uint base, uint n_panels,
	uint n_tiles, __global const uint *position, uint n_vertices, uint r0,
	__global value_t *out)
{
	uint r = get_global_id(1), first = get_global_id(0) * SPAN;
	uint u = position[r0 + r];

	if (u / TILE < base || u / TILE >= base + n_panels)
		return;
	for (uint j = first; j < first + SPAN && j < n_vertices; j++)
		out[(ulong)r * n_vertices + j] =
			panels[VALUE_AT(u, position[j], base, n_tiles)];
}

__kernel void essential(__global const value_t *panels, uint base,
	uint n_panels, uint n_tiles, __global const uint *from,
	__global const uint *to, __global const value_t *lengths, ulong n_arcs,
	__global uchar *flags)
{
	for (ulong e = get_global_id(0); e < n_arcs; e += get_global_size(0)) {
		uint i = from[e] / TILE;

		if (i < base || i >= base + n_panels)
			continue;
		flags[e] = lengths[e] < V_INFINITY &&
			panels[VALUE_AT(from[e], to[e], base, n_tiles)] ==
				lengths[e];
	}
}
