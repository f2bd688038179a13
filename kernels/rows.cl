/*
 * Rows of V are read from panels; essential arcs are found.
 *
 * rows: out[r][j] = V(r0 + r, j) in upload order, for n_rows rows. places maps a
 *       vertex to its row in the panels; vertices maps a position, which is a
 *       column, to its vertex. One work-item copies SPAN neighbouring columns of
 *       a row at a time: global size (any, n_rows). Rows outside this buffer's
 *       panels are skipped. Columns are read in the order of the panels, whose
 *       tiles lie far apart in memory, so an item with many tiles fetches the
 *       next ones ahead (without that, rows took four times as long).
 * essential: flags[e] = the arc is no longer than V between its ends, as every
 *       arc is that ends a shortest path (compute/tables/README.md,
 *       Predecessors). An arc shorter than V counts too: the predecessors then
 *       prove V wrong. from and to are positions, which are rows here. Work-items
 *       share the arcs, strided.
 */
#include "element.clh"

#ifndef SPAN
#define SPAN 1
#endif
#define TILES_AHEAD 4
#define LINE 64 /* bytes */

/* A hint; PoCL's own prefetch() does nothing. */
static inline void fetch(__global const value_t *values)
{
#if defined(__has_builtin) && defined(POCL_DEVICE_ADDRESS_BITS)
#if __has_builtin(__builtin_prefetch)
	for (uint c = 0; c < SPAN; c += LINE / sizeof(value_t))
		__builtin_prefetch(values + c);
#endif
#endif
}

__kernel void rows(__global const value_t *panels, uint base, uint n_panels,
	uint n_tiles, __global const uint *places,
	__global const uint *vertices, uint n_vertices, uint r0,
	__global value_t *out)
{
	uint r = get_global_id(1), u = places[r0 + r];
	uint stride = get_global_size(0) * SPAN;
	__global value_t *row = out + (ulong)r * n_vertices;

	if (u / TILE < base || u / TILE >= base + n_panels)
		return;
	for (uint first = get_global_id(0) * SPAN; first < n_vertices;
		first += stride) {
		__global const value_t *values =
			panels + VALUE_AT(u, first, base, n_tiles);
		uint count = min((uint)SPAN, n_vertices - first);

		if (first / TILE + TILES_AHEAD < n_tiles)
			fetch(values + TILES_AHEAD * TILE_SIZE);
		for (uint c = 0; c < count; c++)
			row[vertices[first + c]] = values[c];
	}
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
			panels[VALUE_AT(from[e], to[e], base, n_tiles)] >=
				lengths[e];
	}
}
