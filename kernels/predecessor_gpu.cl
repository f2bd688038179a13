/*
 * Finds predecessors of some rows of the distance matrix V on GPUs, and thereby proves
 * V (compute/tables/README.md, Predecessors). The kernel gets some arcs (k,j) to each
 * vertex j. V(i,j) must be the minimum of V(i,k) + w(k,j) over all these arcs. The
 * lowest tail k whose sum equals V(i,j) is the predecessor of j from i (the tie rule).
 * Every arc is read twice: the second reading compares each sum with V, and proves the
 * predecessor.
 *
 * All sources read the same arcs, so LANES neighbouring rows form a batch. The values
 * of a batch at one vertex are adjacent in memory.
 *
 * turn:   transposes: turned[batch][column][lane] = v[row][column]. Lanes past n_rows
 *         repeat the last row. A group of (LANES, TURN_ROWS) items transposes a square
 *         of LANES columns and LANES lanes. Global size: (columns rounded up to LANES,
 *         batches · TURN_ROWS).
 * predecessors: a group of (WIDE, TALL) items searches STRIP columns of a batch, TALL
 *         columns at a time. Global size: (WIDE · columns / STRIP rounded up,
 *         batches · TALL).
 *
 * v:      n_rows × n_vertices, in upload order; the source of row r is vertex r0 + r
 * offsets, tails, lengths: the arcs, sorted by head; the tails of each head ascend
 * codes:  for each arc, the value to store as predecessor; the codes of each head
 *         ascend
 * scale:  V = distance · scale + hops; 0: V has no hops to check
 * out:    n_rows × n_vertices predecessors; all bits of an element are 1 if there is
 *         no predecessor
 * checks: counts of cells, then two marks for each row (mark.clh). All these words are
 *         0 before the launch.
 *
 *	[0]                   number of cells where V is not the minimum, or where the
 *	                      second reading found another predecessor
 *	[1]                   number of finite cells off the diagonal that prove that
 *	                      the scale or the element type is too small: hops are 0,
 *	                      or a double is 2^53 or more, where sums are not exact
 *	[2]                   number of finite cells
 *	[value_marks_at + r]  mark of row r of V
 *	[code_marks_at + r]   mark of row r of predecessors
 *
 * For widest paths (semiring.clh), the kernel `settle` (settle_gpu.clh) runs before the
 * kernel `predecessors`. Three more arguments then follow: for each vertex, the width
 * (a rank) of the path to the root, and of the path from the root
 * (compute/graph/root_widths.h); and the codes that `settle` has found. `predecessors`
 * proves these codes and V in one reading of the arcs. If a path by way of the root has
 * the width V(i,j), j has no predecessor from i.
 *
 * Time on an H200 with driver version 580, for 12,529 vertices with 100 arcs each, and
 * V of 16 bits:
 *
 *	this kernel without the second reading               19 ms
 *	one item for each cell; each item reads the arcs     400 ms
 */
#include "element.clh"
#include "mark.clh"
#include "predecessor.clh"
#include "semiring.clh"

#if ELEMENT == 64
#define HOPS_READ_ZERO(x, scale)                                               \
	((x) == floor((x) / (value_t)(scale)) * (value_t)(scale))
#define EXACT(x) ((x) < 9007199254740992.0)
#else
#define HOPS_READ_ZERO(x, scale) ((uint)(x) % (uint)(scale) == 0)
#define EXACT(x) 1
#endif

/* WIDE, TALL, STRIP and TURN_ROWS must have the same values as in
   compute/tables/predecessors.c. */
#define WIDE 32
#define TALL 8
#define STRIP 64
#define TURN_ROWS 4
#if ELEMENT == 16
/* number of rows (lanes of a batch) that a work-item computes; they are the item's own
   rows */
#define OWN 2
#else
#define OWN 1
#endif
#define LANES (WIDE * OWN)
/* one word of padding after each column of `found`, so that the values of one lane in
   neighbouring columns are in different memory banks */
#define PAD (4 / sizeof(predecessor_t))

__kernel __attribute__((reqd_work_group_size(LANES, TURN_ROWS, 1))) void turn(
	__global const value_t *v, uint n_vertices, uint n_rows,
	__global value_t *turned)
{
	__local value_t square[LANES][LANES + 1];
	uint x = get_local_id(0), y = get_local_id(1);
	uint column = get_group_id(0) * LANES, batch = get_group_id(1);

	for (uint l = y; l < LANES; l += TURN_ROWS)
		if (column + x < n_vertices)
			square[l][x] = v[(ulong)min(batch * LANES + l,
						 n_rows - 1) *
					n_vertices +
				column + x];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint c = y; c < LANES; c += TURN_ROWS)
		if (column + c < n_vertices)
			turned[((ulong)batch * n_vertices + column + c) * LANES +
				x] = square[x][c];
}

#define NO_ARC ((uint)-1)

#include "settle_gpu.clh"

/* For each of the work-item's OWN rows (lanes), find the least sum of an arc's length
   and its tail's value in the row, over the arcs [begin, end). Also find the arc that
   gives this sum. If several arcs give it, the first of them counts (the tie rule). */
static inline void least_arcs(value_t *best, uint *arc,
	__global const value_t *own, __global const uint *tails,
	__global const value_t *lengths, uint begin, uint end)
{
#pragma unroll
	for (int o = 0; o < OWN; o++) {
		best[o] = V_INFINITY;
		arc[o] = NO_ARC;
	}
#pragma unroll 4
	for (uint e = begin; e < end; e++) {
		uint k = tails[e];
		value_t length = lengths[e];
		__global const value_t *values = own + (ulong)k * LANES;

#pragma unroll
		for (int o = 0; o < OWN; o++) {
			value_t sum = values[o] + length;

			arc[o] = sum < best[o] ? e : arc[o];
			best[o] = sum < best[o] ? sum : best[o];
		}
	}
}

/*
 * The second reading of the arcs, which proves the result of least_arcs(). For each of
 * the work-item's OWN rows (lanes), find the arcs whose length plus the tail's value
 * equals the row's value at the arcs' head, which is in `targets`. Store the first of
 * these arcs in `lowest` (the tie rule). The proof is independent of the first reading:
 * it does not use the least sums, and it reads the arcs from the last to the first, so
 * the arc that it finds last is the first one.
 */
static inline void lowest_tight(uint *lowest, const value_t *targets,
	__global const value_t *own, __global const uint *tails,
	__global const value_t *lengths, uint begin, uint end)
{
#pragma unroll
	for (int o = 0; o < OWN; o++)
		lowest[o] = NO_ARC;
#pragma unroll 4
	for (uint e = end; e-- > begin;) {
		uint k = tails[e];
		value_t length = lengths[e];
		__global const value_t *values = own + (ulong)k * LANES;

#pragma unroll
		for (int o = 0; o < OWN; o++) {
			value_t sum = values[o] + length;

			lowest[o] = sum == targets[o] ? e : lowest[o];
		}
	}
}

/* Return the value that the table stores as predecessor if `arc` is the last arc of the
   path; NO_ARC: there is no path. */
static inline predecessor_t code_of(__global const uint *codes, uint arc)
{
	return (predecessor_t)(arc == NO_ARC ? NO_ARC : codes[arc]);
}

/* Return the number that column j adds to the mark (a weighted checksum) of a row of
   the distance matrix. */
static inline uint value_mark(value_t value, uint j)
{
#if ELEMENT == 64
	ulong bits = as_ulong(value);

	return MARK_MIX((uint)bits, 32) * mark_weight(2 * j) +
		MARK_MIX((uint)(bits >> 32), 32) * mark_weight(2 * j + 1);
#else
	return MARK_MIX((uint)value, ELEMENT) * mark_weight(j);
#endif
}

/* Store in `out` the predecessors that a group has found, from row `first` and column
   `begin` on. */
static inline void strip_write(__local predecessor_t (*found)[LANES + PAD],
	uint item, uint begin, uint columns, uint n_vertices, uint first,
	uint n_rows, __global predecessor_t *out)
{
	for (uint at = item; at < STRIP * LANES; at += WIDE * TALL) {
		uint c = at % STRIP, l = at / STRIP;

		if (c < columns && first + l < n_rows)
			out[(ulong)(first + l) * n_vertices + begin + c] =
				found[c][l];
	}
}

__kernel __attribute__((reqd_work_group_size(WIDE, TALL, 1))) void predecessors(
	__global const value_t *turned, uint n_vertices, uint r0,
	__global const uint *offsets, __global const uint *tails,
	__global const uint *codes, __global const value_t *lengths, uint scale,
	__global predecessor_t *out, volatile __global uint *checks, uint n_rows,
	uint value_marks_at, uint code_marks_at
#if EXTEND_MAX
	,
	__global const value_t *root_to, __global const value_t *root_from,
	__global const predecessor_t *settled_codes
#endif
)
{
	__local predecessor_t found[STRIP][LANES + PAD];
	__local uint counts[3], of_values[LANES], of_codes[LANES];
	uint x = get_local_id(0), y = get_local_id(1), item = y * WIDE + x;
	uint begin = get_group_id(0) * STRIP, first = get_group_id(1) * LANES;
	uint columns = min((uint)STRIP, n_vertices - begin);
	uint unproved = 0, misfits = 0, finite = 0;
	uint own_values[OWN], own_codes[OWN];
	__global const value_t *own =
		turned + (ulong)first * n_vertices + x * OWN;

	if (item < 3)
		counts[item] = 0;
	if (item < LANES)
		of_values[item] = of_codes[item] = 0;
	for (int o = 0; o < OWN; o++)
		own_values[o] = own_codes[o] = 0;
	for (uint c = y; c < columns; c += TALL) {
		uint j = begin + c;
		value_t best[OWN], targets[OWN];
		predecessor_t chosen[OWN], proved[OWN];

#pragma unroll
		for (int o = 0; o < OWN; o++)
			targets[o] = own[(ulong)j * LANES + o];
#if EXTEND_MAX
		bool tight[OWN];

#pragma unroll
		for (int o = 0; o < OWN; o++)
			chosen[o] = settled_codes[((ulong)first * n_vertices +
							  (ulong)j * LANES) +
				x * OWN + o];
		codes_check(best, tight, chosen, targets, own, tails, codes,
			lengths, offsets[j], offsets[j + 1]);
#pragma unroll
		for (int o = 0; o < OWN; o++) {
			value_t bound = root_bound(root_to, root_from, n_vertices,
				r0 + first + x * OWN + o, j);

			proved[o] = bound == targets[o] ? (predecessor_t)-1
				: tight[o] ? chosen[o]
					   : (predecessor_t)~chosen[o];
		}
#else
		uint arc[OWN], lowest[OWN];

		least_arcs(best, arc, own, tails, lengths, offsets[j],
			offsets[j + 1]);
		lowest_tight(lowest, targets, own, tails, lengths, offsets[j],
			offsets[j + 1]);
#pragma unroll
		for (int o = 0; o < OWN; o++) {
			chosen[o] = code_of(codes, arc[o]);
			proved[o] = code_of(codes, lowest[o]);
		}
#endif
#pragma unroll
		for (int o = 0; o < OWN; o++) {
			uint r = first + x * OWN + o;
			value_t target = targets[o];
			bool is_own = j == r0 + r, is_finite = target < V_INFINITY;
			predecessor_t code;

			if (is_own) {
				chosen[o] = (predecessor_t)-1;
				best[o] = 0;
			} else if (r < n_rows && is_finite) {
				misfits += !EXACT(target) ||
					(scale > 0 &&
						HOPS_READ_ZERO(target, scale));
			}
			/* The predecessor is first added to the row's mark (a checksum,
			   mark.clh) and stored, and later proved. If a fault changes
			   the predecessor between these two steps, the proof fails or
			   the mark differs. */
			code = chosen[o];
			own_values[o] += value_mark(target, j);
			own_codes[o] += MARK_MIX((uint)code, PREDECESSOR_BITS) *
				mark_weight(j);
			found[c][x * OWN + o] = code;
			if (is_own || !is_finite)
				proved[o] = (predecessor_t)-1;
			unproved += r < n_rows &&
				(best[o] != target || code != proved[o]);
			finite += r < n_rows && is_finite;
		}
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (unproved > 0)
		atomic_add(&counts[0], unproved);
	if (misfits > 0)
		atomic_add(&counts[1], misfits);
	if (finite > 0)
		atomic_add(&counts[2], finite);
	for (int o = 0; o < OWN; o++) {
		atomic_add(&of_values[x * OWN + o], own_values[o]);
		atomic_add(&of_codes[x * OWN + o], own_codes[o]);
	}
	strip_write(found, item, begin, columns, n_vertices, first, n_rows, out);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (item < 3 && counts[item] > 0)
		atomic_add(&checks[item], counts[item]);
	if (item < LANES && first + item < n_rows) {
		atomic_add(&checks[value_marks_at + first + item],
			of_values[item]);
		atomic_add(&checks[code_marks_at + first + item],
			of_codes[item]);
	}
}
