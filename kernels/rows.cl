/*
 * Read rows of the distance matrix V from panels, copy tiles, and find essential arcs,
 * which are the arcs that can end a shortest path.
 *
 * rows: store V(r0 + r, j) at out[r · n_vertices + j], for n_rows vertices in upload
 *       order. places[v] is the row of vertex v in the panels; vertices[c] is the
 *       vertex of column c. A work-item copies SPAN neighbouring columns of a row at a
 *       time: global size (any, n_rows). Rows outside this buffer's panels are skipped.
 *       An item reads columns in the order of the panels. The values of a row lie far
 *       apart in memory if they are in different tiles, so the item prefetches values
 *       of later tiles. Without prefetching, the kernel took four times as long.
 * essential: flags[e] becomes 1 if the length of arc e is at most the value in V from
 *       the arc's tail to its head, else 0. The last arc of every shortest path gets 1
 *       (compute/tables/README.md, Predecessors). An arc that is shorter than this
 *       value gets 1, too, and then the proof of V fails. Arc e leads from row from[e]
 *       of the panels to column to[e]. Any number of work-items.
 * copy: copy n chunks of 64 bytes to `out`, from chunk `first` of the panels on. Any
 *       number of work-items. OpenCL has a command that copies buffers, but PoCL runs
 *       this command on one processor while the other processors wait.
 */
#include "blocks.clh"
#include "element.clh"

#ifndef SPAN
#define SPAN 1
#endif
#define TILES_AHEAD 4
#define LINE 64 /* bytes */

/* Prefetch SPAN values by a function of the compiler, because PoCL's prefetch() does
   nothing. */
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
	FOR_EACH(e, n_arcs) {
		uint i = from[e] / TILE;

		if (i < base || i >= base + n_panels)
			continue;
		flags[e] = lengths[e] < V_INFINITY &&
			panels[VALUE_AT(from[e], to[e], base, n_tiles)] >=
				lengths[e];
	}
}

__kernel void copy(__global const ulong8 *panels, ulong first,
	__global ulong8 *out, ulong n)
{
	FOR_EACH(c, n)
		out[c] = panels[first + c];
}
