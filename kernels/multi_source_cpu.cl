/*
 * Bellman–Ford from LANES sources at once, for CPUs. This file includes
 * multi_source_batches.clh. The state d has LANES distances for each vertex v, stored
 * in vectors, and vertices are sorted by position. Lane l is the distance from source l
 * of the batch:
 *
 *	d of one item | v = 0: lane 0 … LANES-1 | v = 1: … | … | v = n-1: … |
 *
 * A vertex is dirty if one of its distances fell after the vertex was last pushed.
 * Pushing a vertex relaxes its arcs. A round pushes the dirty vertices in the order of
 * positions, and the next round in the opposite order, until no vertex is dirty. If the
 * vertices of a path come in the order of a round, the round relaxes all arcs of the
 * path. No round pushes a vertex twice.
 *
 * The code that relaxes an arc has no branch. A processor cannot predict which arcs
 * improve a distance, and a misprediction costs more than a needless store.
 *
 * marks: a bit for each vertex, set if the vertex is dirty. search.at, the place at
 *        which the next launch continues a round, is an index of a word of marks.
 */
#include "element.clh"
#include "lanes.clh"
#include "semiring.clh"

#ifndef LANES
#define LANES (2048 / ELEMENT) /* a multiple of PART */
#endif

/* PART is the number of lanes (sources) in a vector. ANY_OF(flags) is 1 if any flag of
   the vector `flags` is set, else 0. */
#if ELEMENT == 16 && WIDEST < 32
#define PART 16
#define ANY_OF(flags) any_of((ulong8)(as_ulong4(flags), (ulong4)(0)))
#else
#if ELEMENT == 16
#define PART 32
#elif ELEMENT == 32
#define PART 16
#else
#define PART 8
#endif
#define ANY_OF(flags) any_of(as_ulong8(flags))
#endif
#define D_WORDS(n) ((n) * PARTS)
#define MARKS(n) (((n) + 63) / 64)
#define VALUE_OF(x) (x)

typedef value_t lane_t;
typedef VECTOR(VALUE, PART) part_t;
typedef part_t word_t;
typedef ulong mark_t;
typedef VECTOR(FLAG, PART) flags_t;
#include "multi_source_batches.clh"

/* Relax all arcs of vertex u for all sources (lanes) of the batch. */
static inline void push(__global part_t *d, __global ulong *dirty, uint u,
	uint begin, uint end, __global const uint *heads,
	__global const value_t *lengths)
{
	part_t from[PARTS];

#pragma unroll
	for (int p = 0; p < PARTS; p++)
		from[p] = d[(ulong)u * PARTS + p];
	for (uint e = begin; e < end; e++) {
		uint v = heads[e];
		part_t length = (part_t)lengths[e];
		__global part_t *to = d + (ulong)v * PARTS;
		flags_t less = 0;

#pragma unroll
		for (int p = 0; p < PARTS; p++) {
			part_t sum = EXTEND(from[p], length), old = to[p];

			less |= sum < old;
			to[p] = sum < old ? sum : old;
		}
		dirty[v / 64] |= ANY_OF(less) << (v % 64);
	}
}

static bool batch_run(struct search *search, uint *left, __global part_t *d,
	__global ulong *dirty, uint n_vertices, __global const uint *offsets,
	__global const uint *heads, __global const value_t *lengths)
{
	uint words = MARKS(n_vertices);

	for (;;) {
		bool backward = search->round % 2 == 0;

		for (; search->at < words; search->at++) {
			uint word = backward ? words - 1 - search->at
					     : search->at;
			ulong ahead = ~0UL, found;

			if (*left == 0)
				return false;
			while ((found = dirty[word] & ahead) != 0) {
				uint high = 63 - clz(found);
				uint low = 63 - clz(found & -found);
				uint bit = backward ? high : low;
				uint u = word * 64 + bit;
				uint begin = offsets[u], end = offsets[u + 1];
				ulong below = (1UL << bit) - 1;

				dirty[word] &= ~(1UL << bit);
				ahead = backward ? below
						 : ~below - (1UL << bit);
				search->found = 1;
				push(d, dirty, u, begin, end, heads, lengths);
				*left -= min(*left, end - begin + 1);
			}
		}
		if (!search->found)
			return true;
		search->round++;
		search->at = search->found = 0;
	}
}

/*
 * Begin a batch: the distance of each source to itself becomes 0, and all other
 * distances become infinite. Lanes (elements of the vectors) without a source have only
 * infinity.
 *
 * For widest paths, each other distance begins as the width (a rank) of the path by way
 * of the root. While a vertex u has this first value, relaxing an arc (u,v) changes
 * nothing: the new path to v leads by way of the root, and v began with the widest path
 * of this kind. So only the sources are dirty at first. Another vertex becomes dirty
 * only when a path to it is found that is wider than the path by way of the root.
 */
static void batch_begin(__global part_t *d, __global ulong *dirty,
	uint n_vertices, __global const uint *sources, uint n,
	__global const value_t *root_to, __global const value_t *root_from)
{
	__global value_t *values = (__global value_t *)d;

#if EXTEND_MAX
	part_t to[PARTS];

	for (uint lane = 0; lane < LANES; lane++)
		((value_t *)to)[lane] =
			lane < n ? root_to[sources[lane]] : V_INFINITY;
	for (uint v = 0; v < n_vertices; v++)
		for (uint p = 0; p < PARTS; p++)
			d[(ulong)v * PARTS + p] =
				EXTEND(to[p], (part_t)root_from[v]);
#else
	for (uint at = 0; at < D_WORDS(n_vertices); at++)
		d[at] = (part_t)V_INFINITY;
#endif
	for (uint at = 0; at < MARKS(n_vertices); at++)
		dirty[at] = 0;
	for (uint lane = 0; lane < n; lane++) {
		uint s = sources[lane];

		values[(ulong)s * LANES + lane] = 0;
		dirty[s / 64] |= 1UL << (s % 64);
	}
}

static inline part_t part_get(__global const part_t *d, uint n_vertices,
	uint rounds, uint part, uint v)
{
	return d[(ulong)v * PARTS + part];
}
