/*
 * One round of Bellman–Ford over the dense matrix w of arc lengths, for a batch of
 * sources: d(s,v) = min(d(s,v), d(s,u) + w(u,v)) over the vertices u of some tiles.
 * There is a kernel for each of the algorithms `bf-dense-vertex`, `bf-dense-reduce` and
 * `bf-dense-transposed`. In each kernel, one or several work-items compute d(s,v) for
 * some neighbouring vertices v. Method: Liu et al. 2015.
 *
 *	kernel       vertices v   items    each item reads
 *	vertex       LANES        1        w(u,v) for all u
 *	reduce       LANES        ITEMS    w(u,v) for every ITEMS-th u
 *	transposed   VERTICES     ITEMS    w(v,u) for LANES neighbouring u of every
 *	                                   ITEMS · LANES
 *
 * Items that compute the same vertices combine their minima in local memory. In the
 * kernel `transposed`, neighbouring items read neighbouring values.
 *
 * An item computes d for a group of SOURCES sources, so it reads each value of w once
 * for all of these sources. In the kernel `transposed`, it also reads each value of d
 * once for VERTICES vertices. On GPUs, LANES is small. On CPUs, ITEMS is small, and the
 * LANES sums of each source (in `transposed`, LANES · VERTICES sums) fill the vector
 * registers. LANES sums are stored as PARTS vectors (parts.clh). Loops over sums are
 * unrolled, because otherwise the sums would not stay in registers.
 *
 * Global size (groups of sources, items). The size of a work-group is (1, any) in the
 * kernel `vertex`, and (1, ITEMS) in the other kernels. Neighbouring work-groups have
 * different sources and read the same part of w.
 *
 * distances: panels of d, one row for each source, from tile row distances_base on
 * weights:   panels of w or its transpose, from tile row weights_base on
 * finite_d, finite_w: a mark for each tile of d and of w, set if the tile may have
 *            finite values; tiles without a mark are skipped
 * first_k, n_k: the vertices u lie in n_k tiles, from tile first_k on
 * first_group, first_v: the launch begins with this group of sources and this vertex v
 * changed:   [g] is the last round in which a distance of group g of sources fell,
 *            [n_groups] is the last round in which any distance fell. A group without a
 *            change in the previous round is skipped.
 *
 * The kernels work in place: while one work-group of a launch lowers d(s,v), other
 * work-groups read the old or the new value. Both are lengths of paths. In a round
 * without a change, all work-groups read the same values, and none of these values
 * could be lowered, so no further round is needed. Working in place takes fewer rounds
 * than writing each round to a second matrix.
 *
 * An item can mark a tile in finite_d while other items test the mark. An item that
 * does not see the mark skips the tile, and the next round relaxes the tile. There is a
 * next round, because a tile is marked only when a value in it has changed. No barrier
 * depends on a mark, so items of one work-group may see different marks.
 */
#include "element.clh"
#include "lanes.clh"

#ifndef LANES
#define LANES 1
#endif
#ifndef SOURCES
#define SOURCES 4
#endif
#ifndef ITEMS
#define ITEMS 32
#endif
#ifndef VERTICES
#define VERTICES 1
#endif

#include "parts.clh"
#if PART > 1
typedef VECTOR(VALUE, PART) lanes_t;
#else
typedef value_t lanes_t;
#endif

/* SHARED is the address space of the values that items share. If ITEMS is 1, items
   share nothing, and need no local memory. */
#if ITEMS > 1
#define SHARED __local
#else
#define SHARED
#endif

#define LEAST(x, y) ((y) < (x) ? (y) : (x))

/* The arguments of all three kernels. */
#define ROUND                                                                  \
	__global value_t *distances, uint distances_base,                      \
		__global const value_t *weights, uint weights_base,            \
		uint n_tiles, __global uchar *finite_d,                        \
		__global const uchar *finite_w, uint first_k, uint n_k,        \
		uint first_group, uint first_v, uint round,                    \
		__global uint *changed, uint n_groups

/* Return the address of d(s,0), where s is the first source of group g. d(s, k · TILE)
   is k · TILE_SIZE values after this address. */
static inline __global value_t *group_row(
	__global value_t *distances, uint base, uint n_tiles, uint g)
{
	uint s = g * SOURCES;

	return distances + TILE_AT(s / TILE, 0, base, n_tiles) +
		s % TILE * TILE;
}

/*
 * Whether group g of sources must be computed in this round, because one of its
 * distances fell in the previous round or has fallen in this round. All items of a
 * work-group get the same result, although other work-groups may store `round` in
 * changed[g] meanwhile. They do so only if the result is true already, and it stays
 * true.
 */
static inline bool is_active(__global const uint *changed, uint g, uint round)
{
	return changed[g] + 1 >= round;
}

/* Return true if both tile (i, k) of the distances and tile number w of the weights may
   have finite values. */
static inline bool may_reach(__global const uchar *finite_d,
	__global const uchar *finite_w, uint n_tiles, uint i, uint k, ulong w)
{
	return finite_d[(ulong)i * n_tiles + k] && finite_w[w];
}

static inline void mark(__global uchar *finite_d, uint n_tiles,
	__global uint *changed, uint n_groups, uint g, uint v, uint round)
{
	finite_d[(ulong)(g * SOURCES / TILE) * n_tiles + v / TILE] = 1;
	changed[g] = round;
	changed[n_groups] = round;
}

/* Compare each of the PART values at d with the same element (lane) of `best`, and
   store the smaller one at d. Return whether a value at d has fallen. */
static inline bool keep(__global value_t *d, lanes_t best)
{
	const value_t *values = (const value_t *)&best;
	bool fell = false;

	for (uint c = 0; c < PART; c++)
		if (values[c] < d[c]) {
			d[c] = values[c];
			fell = true;
		}
	return fell;
}

/*
 * Relax SOURCES sources through some rows of a tile of the matrix w: the rows first_m,
 * first_m + step, and so on. `step` divides TILE. The loop is unrolled, so that a GPU
 * can run several loads at the same time.
 */
static inline void relax_rows(lanes_t *best, __global const value_t *left,
	__global const value_t *w, uint first_m, uint step)
{
#pragma unroll 4
	for (uint t = 0; t < TILE / step; t++) {
		uint m = first_m + t * step;
		__global const lanes_t *row =
			(__global const lanes_t *)(w + m * TILE);

#pragma unroll
		for (uint p = 0; p < PARTS; p++) {
			lanes_t through = row[p];

#pragma unroll
			for (uint q = 0; q < SOURCES; q++) {
				lanes_t sum = left[q * TILE + m] + through;

				best[q * PARTS + p] =
					LEAST(best[q * PARTS + p], sum);
			}
		}
	}
}

/* Store the minimum of each of the n arrays part[q] in the array's element 0. Before
   the call, each item of the work-group has stored one value in each array. `m` is the
   number of the calling item. */
static inline void reduce_parts(SHARED lanes_t (*part)[ITEMS], uint n, uint m)
{
	for (uint half_group = ITEMS / 2; half_group > 0; half_group /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (m < half_group)
			for (uint q = 0; q < n; q++)
				part[q][m] = LEAST(part[q][m],
					part[q][m + half_group]);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
}

__kernel void vertex(ROUND)
{
	uint g = first_group + get_global_id(0), i = g * SOURCES / TILE;
	uint v = first_v + get_global_id(1) * LANES, j = v / TILE;
	__global value_t *d =
		group_row(distances, distances_base, n_tiles, g);
	__global value_t *target = d + (ulong)j * TILE_SIZE + v % TILE;
	lanes_t best[SOURCES * PARTS];
	bool fell = false;

	if (!is_active(changed, g, round))
		return;
#pragma unroll
	for (uint q = 0; q < SOURCES * PARTS; q++)
		best[q] = V_INFINITY;
	for (uint k = first_k; k < first_k + n_k; k++)
		if (may_reach(finite_d, finite_w, n_tiles, i, k,
			    (ulong)k * n_tiles + j))
			relax_rows(best, d + (ulong)k * TILE_SIZE,
				weights + TILE_AT(k, j, weights_base, n_tiles) +
					v % TILE,
				0, 1);
#pragma unroll
	for (uint q = 0; q < SOURCES * PARTS; q++)
		fell |= keep(target + q / PARTS * TILE + q % PARTS * PART,
			best[q]);
	if (fell)
		mark(finite_d, n_tiles, changed, n_groups, g, v, round);
}

__kernel __attribute__((reqd_work_group_size(1, ITEMS, 1))) void reduce(ROUND)
{
	SHARED lanes_t part[SOURCES * PARTS][ITEMS];
	uint item = get_local_id(1);
	uint g = first_group + get_group_id(0), i = g * SOURCES / TILE;
	uint v = first_v + get_group_id(1) * LANES, j = v / TILE;
	uint end = is_active(changed, g, round) ? first_k + n_k : first_k;
	__global value_t *d =
		group_row(distances, distances_base, n_tiles, g);
	__global value_t *target = d + (ulong)j * TILE_SIZE + v % TILE;
	lanes_t best[SOURCES * PARTS];
	bool fell = false;

#pragma unroll
	for (uint q = 0; q < SOURCES * PARTS; q++)
		best[q] = V_INFINITY;
	for (uint k = first_k; k < end; k++)
		if (may_reach(finite_d, finite_w, n_tiles, i, k,
			    (ulong)k * n_tiles + j))
			relax_rows(best, d + (ulong)k * TILE_SIZE,
				weights + TILE_AT(k, j, weights_base, n_tiles) +
					v % TILE,
				item, ITEMS);
#pragma unroll
	for (uint q = 0; q < SOURCES * PARTS; q++)
		part[q][item] = best[q];
	reduce_parts(part, SOURCES * PARTS, item);
	for (uint q = item; q < SOURCES * PARTS; q += ITEMS)
		fell |= keep(target + q / PARTS * TILE + q % PARTS * PART,
			part[q][0]);
	if (fell)
		mark(finite_d, n_tiles, changed, n_groups, g, v, round);
}

/* Return the least value of a vector. */
static inline value_t least_lane(lanes_t x)
{
	value_t *values = (value_t *)&x;

	/* store the minima of the two halves of the vector in the lower half, lane by
	   lane; then do the same with the lower half */
#pragma unroll
	for (uint half_lanes = PART / 2; half_lanes > 0; half_lanes /= 2)
#pragma unroll
		for (uint c = 0; c < half_lanes; c++)
			values[c] = LEAST(values[c], values[c + half_lanes]);
	return values[0];
}

/* Relax the arcs of some columns u of one tile of the transpose of w, for SOURCES
   sources: a path may lead by way of vertex u. The items of a work-group divide the
   tile's columns among themselves. An item takes PART neighbouring columns at a
   time. */
static inline void relax_columns(lanes_t *best, __global const value_t *left,
	__global const value_t *w, uint item)
{
#pragma unroll 4
	for (uint u = item * PART; u < TILE; u += ITEMS * PART) {
		lanes_t from[SOURCES];

#pragma unroll
		for (uint q = 0; q < SOURCES; q++)
			from[q] = *(__global const lanes_t *)(left + q * TILE + u);
#pragma unroll
		for (uint r = 0; r < VERTICES; r++) {
			lanes_t through =
				*(__global const lanes_t *)(w + r * TILE + u);

#pragma unroll
			for (uint q = 0; q < SOURCES; q++) {
				lanes_t sum = from[q] + through;
				uint p = r * SOURCES + q;

				best[p] = LEAST(best[p], sum);
			}
		}
	}
}

__kernel __attribute__((reqd_work_group_size(1, ITEMS, 1))) void transposed(
	ROUND)
{
	SHARED lanes_t part[VERTICES * SOURCES][ITEMS];
	uint item = get_local_id(1);
	uint g = first_group + get_group_id(0), i = g * SOURCES / TILE;
	uint v = first_v + get_group_id(1) * VERTICES, j = v / TILE;
	uint end = is_active(changed, g, round) ? first_k + n_k : first_k;
	__global value_t *d =
		group_row(distances, distances_base, n_tiles, g);
	__global value_t *target = d + (ulong)j * TILE_SIZE + v % TILE;
	lanes_t best[VERTICES * SOURCES];
	bool fell = false;

#pragma unroll
	for (uint p = 0; p < VERTICES * SOURCES; p++)
		best[p] = V_INFINITY;
	for (uint k = first_k; k < end; k++)
		if (may_reach(finite_d, finite_w, n_tiles, i, k,
			    (ulong)j * n_tiles + k))
			relax_columns(best, d + (ulong)k * TILE_SIZE,
				weights + TILE_AT(j, k, weights_base, n_tiles) +
					v % TILE * TILE,
				item);
#pragma unroll
	for (uint p = 0; p < VERTICES * SOURCES; p++)
		part[p][item] = best[p];
	reduce_parts(part, VERTICES * SOURCES, item);
	for (uint p = item; p < VERTICES * SOURCES; p += ITEMS) {
		__global value_t *own = target + p % SOURCES * TILE + p / SOURCES;
		value_t least = least_lane(part[p][0]);

		if (least < *own) {
			*own = least;
			fell = true;
		}
	}
	if (fell)
		mark(finite_d, n_tiles, changed, n_groups, g, v, round);
}
