/*
 * Breadth-first search from LANES sources at once, for CPUs and for graphs whose lengths
 * are all 1. This file includes multi_source_batches.clh. Each source has a lane, which
 * is one bit, and each vertex reads its incoming arcs. The state d of a work-item has 3
 * + PLANES arrays, each of which has a word of LANES bits for each vertex v:
 *
 *	seen      the sources that have reached v; lanes without a source are set, so
 *	          that a word of ones means that v is done
 *	front 0   the sources that reached v in level e, where e is the last even level in
 *	          which any source reached v
 *	front 1   the sources that reached v in level o, where o is the last odd level in
 *	          which any source reached v
 *	plane b   for each source, bit b of the distance to v, which is the number of
 *	          the level in which the source reached v
 *
 * Round t computes level t. If some source has not reached a vertex, the vertex
 * collects, over its incoming arcs, the sources in the tails' fronts of level t - 1. A
 * front may be left from an earlier level. Such a front gives no new source, because
 * its sources were collected in an earlier round. marks[v] holds 1 + the last level in
 * which a source reached v, so that old fronts need not be read.
 */
#include "element.clh"
#include "lanes.clh"

#define LANES 512 /* eight words of 64 bits */
/* number of bits of a distance; the host defines PLANES as the number of bits of
   n_vertices - 1 */
#ifndef PLANES
#define PLANES (ELEMENT == 16 ? 15 : 20)
#endif
#define D_WORDS(n) ((n) * (3 + PLANES))
#define MARKS(n) (n)
#define PART 16 /* number of lanes (sources) in a vector */

typedef VECTOR(ulong, 8) word_t;
typedef uint mark_t;
/* DISTANCE is an integer type for distances. If the distance matrix has doubles, -1
   stands for infinity. */
#if ELEMENT == 64
#define DISTANCE long
#define NOWHERE (-1)
#define VALUE_OF(x) ((x) < 0 ? V_INFINITY : (value_t)(x))
#else
#define DISTANCE VALUE
#define NOWHERE V_INFINITY
#define VALUE_OF(x) (x)
#endif
typedef DISTANCE lane_t;
typedef VECTOR(DISTANCE, PART) part_t;
#include "multi_source_batches.clh"

static void batch_begin(__global word_t *d, __global uint *stamps,
	uint n_vertices, __global const uint *sources, uint n,
	__global const value_t *root_to, __global const value_t *root_from)
{
	__global ulong *seen = (__global ulong *)d;
	__global ulong *front = (__global ulong *)(d + n_vertices);

	for (ulong at = 0; at < 3UL * n_vertices; at++)
		d[at] = 0;
	for (uint lane = n; lane < LANES; lane++)
		seen[lane / 64] |= 1UL << lane % 64;
	for (uint v = 1; v < n_vertices; v++)
		d[v] = d[0];
	for (uint v = 0; v < n_vertices; v++)
		stamps[v] = 0;
	for (uint lane = 0; lane < n; lane++) {
		ulong at = (ulong)sources[lane] * (LANES / 64) + lane / 64;

		seen[at] |= 1UL << lane % 64;
		front[at] |= 1UL << lane % 64;
		stamps[sources[lane]] = 1;
	}
}

/* Compute one level of vertex v from the fronts of all vertices that have an arc to v.
   Return whether a source has reached v in this level. */
static inline bool pull(__global word_t *d, __global uint *stamps,
	uint n_vertices, uint v, uint level, uint begin, uint end,
	__global const uint *tails)
{
	__global const word_t *before =
		d + (ulong)(2 - level % 2) * n_vertices;
	word_t seen = d[v], found = 0;

	for (uint e = begin; e < end; e++)
		if (stamps[tails[e]] >= level)
			found |= before[tails[e]];
	found &= ~seen;
	if (!any_of(found))
		return false;
	d[v] = seen | found;
	d[(ulong)(1 + level % 2) * n_vertices + v] = found;
	stamps[v] = level + 1;
	for (uint b = 0; level >> b != 0; b++)
		if (level >> b & 1)
			d[(ulong)(3 + b) * n_vertices + v] |= found;
	return true;
}

static bool batch_run(struct search *search, uint *left, __global word_t *d,
	__global uint *stamps, uint n_vertices, __global const uint *offsets,
	__global const uint *tails, __global const value_t *lengths)
{
	for (;;) {
		uint level = search->round;

		/* clear the plane (array) for the highest bit of `level`; no earlier
		   level has this bit */
		if (search->at == 0 && (level & (level - 1)) == 0)
			for (uint v = 0; v < n_vertices; v++)
				d[(ulong)(3 + 31 - clz(level)) * n_vertices +
					v] = 0;
		for (; search->at < n_vertices; search->at++) {
			uint v = search->at;
			uint begin = offsets[v], end = offsets[v + 1];

			if (*left == 0)
				return false;
			*left -= 1;
			if (!any_of(~d[v]))
				continue;
			search->found |= pull(d, stamps, n_vertices, v,
				level, begin, end, tails);
			*left -= min(*left, end - begin);
		}
		/* In this round no source reached a new vertex, or the next level would
		   be infinity. In both cases the batch is done. In the second case, the
		   host tries a wider element type. */
		if (!search->found || level + 1 >= V_INFINITY)
			return true;
		search->round++;
		search->at = search->found = 0;
	}
}

static inline part_t part_get(__global const word_t *d, uint n_vertices,
	uint levels, uint part, uint v)
{
	const part_t bit = (part_t)(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024,
		2048, 4096, 8192, 16384, (lane_t)32768);
	__global const ushort *seen =
		(__global const ushort *)(d + v) + part;
	ulong plane_size = (ulong)n_vertices * PARTS;
	uint n_planes = 32 - clz(levels);
	part_t value = 0;

	for (uint b = 0; b < n_planes; b++) {
		part_t bits = (part_t)seen[(3 + b) * plane_size];

		value |= (bits & bit) != (part_t)0 ? (part_t)((lane_t)1 << b)
					   : (part_t)0;
	}
	return ((part_t)*seen & bit) != (part_t)0 ? value : (part_t)NOWHERE;
}
