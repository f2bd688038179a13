/*
 * Bellman–Ford from LANES sources at once, for CPUs. A work-item solves batches of
 * sources, one after the other: D[v][lane] is the distance from source `lane` of
 * the batch to the vertex at position v, LANES side by side in vectors.
 *
 *	D of one item | v = 0: lane 0 … LANES-1 | v = 1: … | … | v = n-1: … |
 *
 * Vertices whose lanes fell since they were last looked at are dirty. A sweep
 * goes over the dirty ones by position and pushes their lanes over their arcs;
 * the next one goes the other way, until none is dirty. So a sweep moves a
 * distance along all arcs of a path that lead its way, and never looks at a vertex
 * twice. What an arc does has no branch in it: which of them improve something
 * cannot be predicted, and storing in vain costs less than guessing wrong.
 *
 * The sources are the positions of one buffer's rows: batch b begins at source
 * first + b · LANES and writes the panels' rows of its sources.
 *
 * A launch ends when the batches are done or each item has pushed over `budget`
 * arcs; the next one goes on from `states`.
 *
 * counters: [0] the next batch to begin, [1] batches done.
 * states:   one an item: batch (NO_BATCH: none), word of the sweep, direction,
 *           whether the sweep met a dirty vertex.
 * d, dirty: of item i begin at i · n_vertices · LANES, i · words.
 */
#include "element.clh"

#ifndef LANES
#define LANES (2048 / ELEMENT) /* a multiple of PART */
#endif

#define PART (512 / ELEMENT) /* lanes in one vector */
#define PARTS (LANES / PART)
#define NO_BATCH 0xffffffffu

typedef value_t part_t __attribute__((ext_vector_type(PART)));
#if ELEMENT == 16
typedef short flags_t __attribute__((ext_vector_type(PART)));
#elif ELEMENT == 32
typedef int flags_t __attribute__((ext_vector_type(PART)));
#else
typedef long flags_t __attribute__((ext_vector_type(PART)));
#endif

struct sweep {
	uint batch;
	uint word;
	uint backward;
	uint met;
};

/* 1 where any flag is set. */
static inline ulong any_of(flags_t flags)
{
	long8 all = __builtin_astype(flags, long8);
	long4 four = all.lo | all.hi;
	long2 two = four.lo | four.hi;

	return (two.x | two.y) != 0;
}

/* Push u's lanes over its arcs. */
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
			part_t sum = from[p] + length, old = to[p];

			less |= sum < old;
			to[p] = sum < old ? sum : old;
		}
		dirty[v / 64] |= any_of(less) << (v % 64);
	}
}

/* On with the sweeps; returns whether the batch is done. */
static bool go_on(struct sweep *sweep, uint *left, __global part_t *d,
	__global ulong *dirty, uint n_vertices, __global const uint *offsets,
	__global const uint *heads, __global const value_t *lengths)
{
	uint words = (n_vertices + 63) / 64;

	for (;;) {
		for (; sweep->word < words; sweep->word++) {
			uint word = sweep->backward ? words - 1 - sweep->word
						    : sweep->word;
			ulong ahead = ~0UL, found;

			if (*left == 0)
				return false;
			while ((found = dirty[word] & ahead) != 0) {
				uint high = 63 - clz(found);
				uint low = 63 - clz(found & -found);
				uint bit = sweep->backward ? high : low;
				uint u = word * 64 + bit;
				uint begin = offsets[u], end = offsets[u + 1];
				ulong below = (1UL << bit) - 1;

				dirty[word] &= ~(1UL << bit);
				ahead = sweep->backward ? below
							: ~below - (1UL << bit);
				sweep->met = 1;
				push(d, dirty, u, begin, end, heads, lengths);
				*left -= min(*left, end - begin + 1);
			}
		}
		if (!sweep->met)
			return true;
		sweep->word = 0;
		sweep->backward = !sweep->backward;
		sweep->met = 0;
	}
}

/* Lanes past the last source stay infinite. */
static void begin_batch(__global part_t *d, __global ulong *dirty,
	uint n_vertices, uint first, uint n)
{
	__global value_t *values = (__global value_t *)d;

	for (uint at = 0; at < n_vertices * PARTS; at++)
		d[at] = (part_t)V_INFINITY;
	for (uint at = 0; at < (n_vertices + 63) / 64; at++)
		dirty[at] = 0;
	for (uint lane = 0; lane < n; lane++) {
		uint s = first + lane;

		values[(ulong)s * LANES + lane] = 0;
		dirty[s / 64] |= 1UL << (s % 64);
	}
}

/* D is transposed into the panels tile by tile, which level 1 holds. */
static void end_batch(__global const part_t *d, uint n_vertices, uint first,
	uint n, __global value_t *panels, uint base, uint n_tiles)
{
	__global const value_t *values = (__global const value_t *)d;

	for (uint j = 0; j < n_tiles; j++) {
		uint width = min((uint)TILE, n_vertices - j * TILE);

		for (uint lane = 0; lane < n; lane++) {
			__global value_t *row = panels +
				VALUE_AT(first + lane, j * TILE, base, n_tiles);
			__global const value_t *column =
				values + (ulong)j * TILE * LANES + lane;

			for (uint v = 0; v < width; v++)
				row[v] = column[v * LANES];
		}
	}
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void solve_batches(
	__global const uint *offsets, __global const uint *heads,
	__global const value_t *lengths, uint n_vertices, uint first,
	uint n_sources, __global value_t *panels, uint base, uint n_tiles,
	__global part_t *d, __global ulong *dirty, __global uint4 *states,
	volatile __global uint *counters, uint budget)
{
	uint item = get_global_id(0), left = budget;
	uint n_batches = (n_sources + LANES - 1) / LANES;
	struct sweep sweep = {states[item].x, states[item].y, states[item].z,
		states[item].w};

	d += (ulong)item * n_vertices * PARTS;
	dirty += (ulong)item * ((n_vertices + 63) / 64);
	while (left > 0) {
		uint source, n;

		if (sweep.batch == NO_BATCH) {
			sweep.batch = atomic_inc(&counters[0]);
			sweep.word = sweep.backward = sweep.met = 0;
			if (sweep.batch >= n_batches) {
				sweep.batch = NO_BATCH;
				break;
			}
			source = sweep.batch * LANES;
			begin_batch(d, dirty, n_vertices, first + source,
				min((uint)LANES, n_sources - source));
		}
		source = sweep.batch * LANES;
		n = min((uint)LANES, n_sources - source);
		if (!go_on(&sweep, &left, d, dirty, n_vertices, offsets, heads,
			    lengths))
			break;
		end_batch(d, n_vertices, first + source, n, panels, base,
			n_tiles);
		sweep.batch = NO_BATCH;
		left -= min(left, n_vertices);
		atomic_inc(&counters[1]);
	}
	states[item] = (uint4)(sweep.batch, sweep.word, sweep.backward,
		sweep.met);
}
