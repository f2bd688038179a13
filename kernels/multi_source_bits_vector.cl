/*
 * Breadth-first search from LANES sources at once, for CPUs: where all lengths are
 * 1. A lane is a bit. The arguments are those of multi_source_vector.cl, with rows
 * of arcs by head, whose lengths are not looked at.
 *
 * d of one item | seen | front of even levels | of odd ones | planes 0 … PLANES-1 |
 *
 * each with a word of LANES bits a vertex. seen: the source reaches v, so far; lanes
 * without a source have it set, so that a vertex with nothing to find shows. front:
 * what was found in the level before. plane b: bit b of the level in which it was
 * found, which is V.
 *
 * Level t pulls the front of level t - 1 over the incoming arcs of each vertex that
 * not all sources have reached. A tail that found nothing in level t - 1 holds an
 * older front, which its heads have seen; stamps, the level after the last in which
 * v found something, only spare the look at it.
 *
 * states: batch, next vertex of the level, level, whether the level found anything.
 */
#include "element.clh"

#define LANES 512 /* eight words of 64 */
#define PLANES (ELEMENT == 16 ? 15 : 20)
#define NO_BATCH 0xffffffffu

/* When the planes are spelt out: so many lanes in a vector. */
#define PART 16
#define PARTS (LANES / PART)

typedef ulong word_t __attribute__((ext_vector_type(8)));
/* V as an integer; infinity is negative where V itself is none */
#if ELEMENT == 64
typedef long spelt_t;
#define NOWHERE (-1)
#define VALUE_OF(x) ((x) < 0 ? V_INFINITY : (value_t)(x))
#else
typedef value_t spelt_t;
#define NOWHERE V_INFINITY
#define VALUE_OF(x) (x)
#endif
typedef spelt_t part_t __attribute__((ext_vector_type(PART)));

struct search {
	uint batch;
	uint next;
	uint level;
	uint found;
};

static inline bool any_of(word_t word)
{
	ulong4 four = word.lo | word.hi;
	ulong2 two = four.lo | four.hi;

	return (two.x | two.y) != 0;
}

static void begin_batch(__global word_t *d, __global uint *stamps,
	uint n_vertices, uint first, uint n)
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
		ulong at = (ulong)(first + lane) * (LANES / 64) + lane / 64;

		seen[at] |= 1UL << lane % 64;
		front[at] |= 1UL << lane % 64;
		stamps[first + lane] = 1;
	}
}

/* One vertex in one level; returns whether a source reached it. */
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

/* On with the levels; returns whether the batch is done. */
static bool go_on(struct search *search, uint *left, __global word_t *d,
	__global uint *stamps, uint n_vertices, __global const uint *offsets,
	__global const uint *tails)
{
	for (;;) {
		uint level = search->level;

		/* its highest plane is used for the first time */
		if (search->next == 0 && (level & (level - 1)) == 0)
			for (uint v = 0; v < n_vertices; v++)
				d[(ulong)(3 + 31 - clz(level)) * n_vertices +
					v] = 0;
		for (; search->next < n_vertices; search->next++) {
			uint v = search->next;
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
		/* a level past infinity is for a wider V */
		if (!search->found || level + 1 >= V_INFINITY)
			return true;
		search->next = 0;
		search->level++;
		search->found = 0;
	}
}

/* V of PART lanes at one vertex, their first bits being at `at`. */
static inline part_t spell(
	__global const ushort *seen, ulong plane_size, uint n_planes, ulong at)
{
	const part_t bit = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048,
		4096, 8192, 16384, (spelt_t)32768};
	part_t value = 0;

	for (uint b = 0; b < n_planes; b++) {
		part_t bits = (part_t)seen[(3 + b) * plane_size + at];

		value |= (bits & bit) != (part_t)0 ? (part_t)((spelt_t)1 << b)
					   : (part_t)0;
	}
	return ((part_t)seen[at] & bit) != (part_t)0 ? value : (part_t)NOWHERE;
}

/* A tile's vertices at a time are spelt out and transposed. */
static void end_batch(__global const word_t *d, uint n_vertices, uint first,
	uint n, uint level, __global value_t *panels, uint base, uint n_tiles)
{
	__global const ushort *seen = (__global const ushort *)d;
	ulong plane_size = (ulong)n_vertices * PARTS;
	uint n_planes = 32 - clz(level);

	for (uint part = 0; part * PART < n; part++)
		for (uint j = 0; j < n_tiles; j++) {
			uint width = min((uint)TILE, n_vertices - j * TILE);
			uint lanes = min((uint)PART, n - part * PART);
			part_t spelt[TILE];

			for (uint v = 0; v < width; v++)
				spelt[v] = spell(seen, plane_size,
					n_planes,
					(ulong)(j * TILE + v) * PARTS + part);
			for (uint lane = 0; lane < lanes; lane++) {
				uint source = first + part * PART + lane;
				const spelt_t *column =
					(const spelt_t *)spelt + lane;
				__global value_t *row = panels +
					VALUE_AT(source, j * TILE, base,
						n_tiles);

				for (uint v = 0; v < width; v++)
					row[v] = VALUE_OF(column[v * PART]);
			}
		}
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void solve_batches(
	__global const uint *offsets, __global const uint *tails,
	__global const value_t *lengths, uint n_vertices, uint first,
	uint n_sources, __global value_t *panels, uint base, uint n_tiles,
	__global word_t *d, __global uint *stamps, __global uint4 *states,
	volatile __global uint *counters, uint budget)
{
	uint item = get_global_id(0), left = budget;
	uint n_batches = (n_sources + LANES - 1) / LANES;
	struct search search = {states[item].x, states[item].y, states[item].z,
		states[item].w};

	d += (ulong)item * n_vertices * (3 + PLANES);
	stamps += (ulong)item * n_vertices;
	while (left > 0) {
		uint source, n;

		if (search.batch == NO_BATCH) {
			search.batch = atomic_inc(&counters[0]);
			search.next = search.found = 0;
			search.level = 1;
			if (search.batch >= n_batches) {
				search.batch = NO_BATCH;
				break;
			}
			source = search.batch * LANES;
			begin_batch(d, stamps, n_vertices, first + source,
				min((uint)LANES, n_sources - source));
		}
		source = search.batch * LANES;
		n = min((uint)LANES, n_sources - source);
		if (!go_on(&search, &left, d, stamps, n_vertices, offsets,
			    tails))
			break;
		end_batch(d, n_vertices, first + source, n, search.level,
			panels, base, n_tiles);
		search.batch = NO_BATCH;
		left -= min(left, n_vertices);
		atomic_inc(&counters[1]);
	}
	states[item] = (uint4)(search.batch, search.next, search.level,
		search.found);
}
