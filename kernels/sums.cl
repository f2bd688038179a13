/*
 * Computes the real distances of some rows: adds the lengths of the arcs on each path
 * of predecessors in float64, from the source on. compute/tables/sums.c computes the
 * same bits.
 *
 * A work-group computes one row, and a launch computes the rows from `at` on. Global
 * size: (ITEMS, rows), local size: (ITEMS, 1). The source of row r is vertex r0 + r, in
 * upload order.
 *
 * predecessors, v: rows × n_vertices
 * unit, potentials: the unit and the potentials of the distance matrix V
 *         (compute/graph/README.md); `potentials` is read only if POTENTIALS is 1
 * offsets, tails, codes, lengths: the arcs, sorted by head; the tails and the codes of
 *         each head ascend; an arc's code is the value that `predecessors` stores for
 *         the arc
 * held:   float64 sums; each group has one row. Before a column is settled, its
 *         element holds the index of the last arc of the column's path
 * done, next: local memory; each is an array of whole words with a bit for each column,
 *         which is 1 if the column is settled
 * out:    rows × n_vertices sums, as distance_t
 * summed: several arrays in one buffer:
 *
 *	[summed_at + r]    becomes 1 if the sums of row r are in out. Becomes 0, and the
 *	                   row is left to the host, if a path has more than max_arcs
 *	                   arcs, or if the predecessors are no tree.
 *	[marks_at + r]     becomes the mark of row r of out (mark.clh)
 *	[row_hops_at + r]  becomes the number of arcs in all paths of row r
 *	[hops_at + t]      grows by the number of paths of t arcs, 0 < t <= max_arcs,
 *	                   possibly including paths of rows that are left to the host
 *	[wrong_at]         grows by the number of sums in out that do not agree with V,
 *	                   or that a second addition does not reproduce
 *	[wrong_at + 1]     grows by the number of sums in out that are outside the
 *	                   range of distance_t
 *
 * The sum of a path of t arcs must be in this range (compute/tables/README.md, Path
 * sums):
 *
 *	(x - 2t) · unit <= sum <= (x + t) · unit
 *
 * Here x is V or, if POTENTIALS is 1, V plus the potential of the path's last vertex
 * minus the potential of the source.
 *
 * A column is settled when its sum has been computed. Round t settles the columns whose
 * paths have t arcs. A round reads only bits that earlier rounds have set, so no item
 * reads a word that another item writes. The first round that settles nothing is the
 * last round. If a column is still not settled, its path has a cycle, an arc that does
 * not exist, or a vertex without a path.
 */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#include "element.clh"
#include "mark.clh"
#include "predecessor.clh"

#ifndef ITEMS
#define ITEMS 256
#endif
#ifndef DISTANCE_BITS
#define DISTANCE_BITS 32
#endif
#ifndef POTENTIALS
#define POTENTIALS 0
#endif

#if DISTANCE_BITS == 32
typedef float distance_t;
/* LEAVES() says whether a sum is outside the range of distance_t. The kernel calls
   LEAVES() before it rounds the sum. The range of float32 has only 0 and its normal
   numbers. */
#define LEAVES(sum)                                                            \
	((fabs(sum) < 0x1p-126 && (sum) != 0) || fabs(sum) >= 0x1.ffffffp127)
#else
typedef double distance_t;
/* A sum leaves the range of float64 only if it is infinite or NaN. Very small sums do
   not leave it: sums below the smallest normal number are exact. */
#define LEAVES(sum) (!(fabs(sum) < INFINITY))
#endif

#define NONE ((predecessor_t)-1)
#define NO_ARC ((uint)-1)
#define IS_SET(bits, j) ((bits)[(j) / 32] >> (j) % 32 & 1)

/* Return the index of the arc in [at, end) that the stored predecessor `code` belongs
   to. The codes ascend from `at` to `end`. NO_ARC: there is no such arc. */
static inline uint arc_find(
	__global const uint *codes, uint at, uint end, predecessor_t code)
{
	uint high = end;

	if (code == NONE)
		return NO_ARC;
	while (at < high) {
		uint middle = at + (high - at) / 2;

		if (codes[middle] < code)
			at = middle + 1;
		else
			high = middle;
	}
	return at < end && codes[at] == code ? at : NO_ARC;
}

/* Return true if `sum` is wrong, judged by the integer distance `v` of the same pair.
   `sum` is the length of a path of `arcs` arcs. */
static inline bool is_wrong(
	double sum, value_t v, double potential, uint arcs, double unit)
{
	double value = (double)v + potential, k = arcs;

	return !(v < V_INFINITY) || !(sum >= (value - 2 * k) * unit) ||
		!(sum <= (value + k) * unit);
}

/* Return the number that column j adds to the mark (a weighted checksum) of a row of
   sums. */
static inline uint sum_mark(distance_t sum, uint j)
{
#if DISTANCE_BITS == 32
	return MARK_MIX(as_uint(sum), 32) * mark_weight(j);
#else
	ulong bits = as_ulong(sum);

	return MARK_MIX((uint)bits, 32) * mark_weight(2 * j) +
		MARK_MIX((uint)(bits >> 32), 32) * mark_weight(2 * j + 1);
#endif
}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void sums(
	__global const predecessor_t *predecessors, __global const value_t *v,
	double unit, __global const long *potentials, uint at, uint r0,
	uint n_vertices, __global const uint *offsets, __global const uint *tails,
	__global const uint *codes, __global const double *lengths, uint max_arcs,
	__global double *held, __local uint *done, __local uint *next, __global distance_t *out,
	volatile __global uint *summed, uint summed_at, uint marks_at,
	uint row_hops_at, uint hops_at, uint wrong_at)
{
	__local uint n_settled, mark;
	uint item = get_local_id(0), row = at + get_group_id(1);
	uint n_words = (n_vertices + 31) / 32;
	__global const predecessor_t *from = predecessors + (ulong)row * n_vertices;
	__global const value_t *values = v + (ulong)row * n_vertices;
	__global double *sum = held + (ulong)get_group_id(1) * n_vertices;
	uint settled = 0, before, depth = 0, own = 0, hops = 0;
	uint n_wrong = 0, n_outside = 0;

	for (uint w = item; w < n_words; w += ITEMS)
		done[w] = next[w] = 0;
	for (uint j = item; j < n_vertices; j += ITEMS)
		sum[j] = as_double((ulong)arc_find(
			codes, offsets[j], offsets[j + 1], from[j]));
	if (item == 0)
		n_settled = mark = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	do {
		uint n_own = 0;

		for (uint j = item; j < n_vertices; j += ITEMS) {
			uint tail, arc;

			if (IS_SET(done, j))
				continue;
			if (from[j] == NONE) {
				sum[j] = j == r0 + row ? 0 : INFINITY;
				n_wrong += j != r0 + row &&
					values[j] < V_INFINITY;
			} else {
				double potential = 0;

				arc = (uint)as_ulong(sum[j]);
				if (arc == NO_ARC)
					continue;
				tail = tails[arc];
				if (!IS_SET(done, tail) || isinf(sum[tail]))
					continue;
				sum[j] = sum[tail] + lengths[arc];
#if POTENTIALS
				potential = (double)(potentials[j] -
					potentials[r0 + row]);
#endif
				if (LEAVES(sum[j]))
					n_outside++;
				else if (is_wrong(sum[j], values[j], potential,
						 depth, unit))
					n_wrong++;
			}
			atomic_or(&next[j / 32], 1u << j % 32);
			n_own++;
		}
		if (n_own > 0)
			atomic_add(&n_settled, n_own);
		barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
		before = settled;
		settled = n_settled;
		if (item == 0 && depth > 0 && settled > before) {
			hops += depth * (settled - before);
			atomic_add(&summed[hops_at + depth], settled - before);
		}
		for (uint w = item; w < n_words; w += ITEMS)
			done[w] = next[w];
		barrier(CLK_LOCAL_MEM_FENCE);
	} while (settled < n_vertices && settled > before && depth++ < max_arcs);

	if (item == 0)
		summed[summed_at + row] = settled == n_vertices;
	if (settled < n_vertices)
		return;
	for (uint j = item; j < n_vertices; j += ITEMS) {
		distance_t made = (distance_t)sum[j];
		uint arc = arc_find(codes, offsets[j], offsets[j + 1], from[j]);

		/* compute the sum a second time, and compare both sums bit by bit */
		if (arc != NO_ARC)
			n_wrong += sum[j] != sum[tails[arc]] + lengths[arc];
		out[(ulong)row * n_vertices + j] = made;
		own += sum_mark(made, j);
	}
	if (n_wrong > 0)
		atomic_add(&summed[wrong_at], n_wrong);
	if (n_outside > 0)
		atomic_add(&summed[wrong_at + 1], n_outside);
	atomic_add(&mark, own);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (item == 0) {
		summed[marks_at + row] = mark;
		summed[row_hops_at + row] = hops;
	}
}
