/*
 * Finds predecessors of some rows of the distance matrix V on CPUs, with the same
 * results as predecessor_gpu.cl. All sources read the same arcs, so a vector holds the
 * values of LANES neighbouring sources.
 *
 * A work-item handles BATCH rows, LANES rows at a time. It transposes these rows to
 * `turned`, which has a vector for each vertex and stays in the cache while the item
 * reads the arcs. It transposes the predecessors back, STRIP columns at a time. The
 * item reads the arcs to each vertex twice; the second reading proves the result of the
 * first one. Lanes past n_rows repeat the last row, and their results are ignored.
 *
 * The arguments are those of predecessor_gpu.cl and, after them, `turned`: n_vertices
 * vectors for every LANES rows.
 *
 * For widest paths (semiring.clh), six more arguments follow:
 *
 *	order                    two orders of all vertices
 *	                         (compute/tables/predecessors.c)
 *	all_settled, all_found   a vector for each vector of `turned`
 *	stamps                   a number for each vertex and item
 *	root_to, root_from       for each vertex, the width (a rank) of the path to the
 *	                         root, and of the path from the root
 *	                         (compute/graph/root_widths.h)
 *
 * For widest paths, rows_settle() replaces the first reading, because a tail that
 * yields V need not lead back to the source: vertices of equal width can form a cycle.
 * If a path by way of the root has the width V(i,j), no predecessor is stored for
 * (i,j): the path by way of the root stands for it.
 */
#include "element.clh"
#include "lanes.clh"
#include "mark.clh"
#include "predecessor.clh"
#include "semiring.clh"

/* WORK, INDEX and MASK are the types of a value, of a vertex and of a comparison's
   result. All three have the same width. */
#if ELEMENT == 64
#define BATCH 8
#define LANES 8
#define WORK_BITS 64
#define WORK double
#define INDEX ulong
#define MASK long
#elif ELEMENT == 16 && PREDECESSOR_BITS <= 16
#define BATCH 32
#if WIDEST >= 32
#define LANES 32
#else
#define LANES 16
#endif
#define WORK_BITS 16
#define WORK ushort
#define INDEX ushort
#define MASK short
#else
#define BATCH 16
#define LANES 16
#define WORK_BITS 32
#define WORK int
#define INDEX uint
#define MASK int
#endif

typedef WORK work_t;
typedef INDEX index_t;
typedef MASK mask_t;
typedef VECTOR(WORK, LANES) works_t;
typedef VECTOR(INDEX, LANES) indices_t;
typedef VECTOR(MASK, LANES) masks_t;

#define STRIP 64
#define INFINITE ((work_t)V_INFINITY)

/*
 * Constants that let is_multiple() avoid a division. Let scale = o · 2^k with odd o,
 * and let max be the largest index_t. Then x is a multiple of scale if x · o⁻¹, rotated
 * right by k bits, is at most ⌊max / scale⌋ (Granlund & Montgomery 1994, section 9).
 * With values of 64 bits, only `scale` is used.
 */
struct divisor {
	index_t scale;
	index_t inverse;
	index_t shift;
	index_t most;
};

static inline struct divisor divisor_of(uint scale)
{
	struct divisor d = {scale, 1, 0, 0};

#if ELEMENT != 64
	index_t odd = scale;

	if (scale == 0)
		return d;
	while (odd % 2 == 0) {
		odd /= 2;
		d.shift++;
	}
	for (int step = 0; step < 5; step++)
		d.inverse *= (index_t)(2 - (uint)odd * (uint)d.inverse);
	d.most = (index_t)-1 / (index_t)scale;
#endif
	return d;
}

static inline masks_t is_multiple(works_t x, struct divisor d)
{
#if ELEMENT == 64
	works_t scale = (work_t)d.scale;

	return x == floor(x / scale) * scale;
#else
	indices_t product = CONVERT(indices_t, INDEX, LANES, x) *
		(indices_t)d.inverse;
	indices_t turned = product >> (indices_t)d.shift |
		product << (indices_t)((index_t)(WORK_BITS - d.shift) %
			WORK_BITS);

	return turned <= (indices_t)d.most;
#endif
}

#if LANES * WORK_BITS == 512 && WORK_BITS < 64
/* number of vectors in a square, and number of 32-bit words in a vector */
#define SQUARE 16

/* For each of the columns j to j + 15, return 32 bits: the value of row w or, if values
   have 16 bits, the values of rows 2w and 2w + 1. */
static inline uint16 words_read(
	__global const value_t *const *rows, uint w, uint j)
{
#if WORK_BITS == 32
	return convert_uint16(vload16(0, rows[w] + j));
#else
	return convert_uint16(vload16(0, rows[2 * w] + j)) |
		convert_uint16(vload16(0, rows[2 * w + 1] + j)) << 16;
#endif
}

/* Interleave a and b. */
static inline uint16 zip(uint8 a, uint8 b)
{
	return (uint16)(a.s0, b.s0, a.s1, b.s1, a.s2, b.s2, a.s3, b.s3, a.s4,
		b.s4, a.s5, b.s5, a.s6, b.s6, a.s7, b.s7);
}

/* One of four equal steps that transpose a square: interleave vector i with vector
   i + 8, for i from 0 to 7. */
static inline void square_zip(const uint16 *in, uint16 *out)
{
#pragma unroll
	for (int i = 0; i < SQUARE / 2; i++) {
		out[2 * i] = zip(in[i].lo, in[i + SQUARE / 2].lo);
		out[2 * i + 1] = zip(in[i].hi, in[i + SQUARE / 2].hi);
	}
}

/* Transpose rows of the distance matrix to `turned`, square by square, without the
   columns after the last whole square. Return the number of transposed columns. */
static inline uint squares_turn(__global const value_t *const *rows,
	uint n_vertices, __global works_t *turned)
{
	uint16 square[SQUARE], other[SQUARE];
	uint j = 0;

	for (; j + SQUARE <= n_vertices; j += SQUARE) {
#pragma unroll
		for (int w = 0; w < SQUARE; w++)
			square[w] = words_read(rows, w, j);
		square_zip(square, other);
		square_zip(other, square);
		square_zip(square, other);
		square_zip(other, square);
#pragma unroll
		for (int c = 0; c < SQUARE; c++)
			turned[j + c] = AS(works_t, WORK, LANES, square[c]);
	}
	return j;
}
#else
#define squares_turn(rows, n_vertices, turned) 0
#endif

/* Store V(first, j), V(first + 1, j), … (values of the distance matrix V) as the
   elements of the vector turned[j]. */
static void turn_rows(__global const value_t *v, uint n_vertices, uint first,
	uint n_rows, __global works_t *turned)
{
	__global const value_t *rows[LANES];

	for (uint l = 0; l < LANES; l++)
		rows[l] = v + (ulong)min(first + l, n_rows - 1) * n_vertices;
	for (uint j = squares_turn(rows, n_vertices, turned); j < n_vertices;
		j++) {
		works_t all;

#pragma unroll
		for (int l = 0; l < LANES; l++)
			LANE(work_t, all, l) = (work_t)rows[l][j];
		turned[j] = all;
	}
}

#include "settle_cpu.clh"

/* For each row (lane), find the least sum of an arc's length and its tail's value in
   the row, over the arcs [begin, end). Return the stored predecessor (code) of the arc
   that gives this sum. If several arcs give it, the first of them counts (the tie
   rule). */
static inline indices_t least_codes(__global const works_t *turned,
	__global const uint *tails, __global const uint *codes,
	__global const value_t *lengths, uint begin, uint end,
	works_t *out_best)
{
	works_t best = INFINITE;
	indices_t code = (index_t)-1;

	for (uint e = begin; e < end; e++) {
		works_t sum =
			turned[tails[e]] + (works_t)(work_t)lengths[e];
		masks_t less = sum < best;

		best = less ? sum : best;
		code = less ? (indices_t)(index_t)codes[e] : code;
	}
	*out_best = best;
	return code;
}

/*
 * The second reading of the arcs, which proves the result of least_codes(). For each
 * row (lane), find the arcs whose length plus the tail's value equals `target`, the
 * value of the row at the arcs' head. Return the stored predecessor (code) of the first
 * of these arcs (the tie rule). The proof is independent of the first reading: it does
 * not use the least sums, and it reads the arcs from the last to the first, so the arc
 * that it finds last is the first one.
 */
static inline indices_t lowest_tight(__global const works_t *turned,
	__global const uint *tails, __global const uint *codes,
	__global const value_t *lengths, uint begin, uint end, works_t target)
{
	indices_t lowest = (index_t)-1;

	for (uint e = end; e-- > begin;) {
		works_t sum =
			turned[tails[e]] + (works_t)(work_t)lengths[e];

		lowest = sum == target ? (indices_t)(index_t)codes[e] : lowest;
	}
	return lowest;
}

/* For each row of the distance matrix, return the number that column j adds to the
   row's mark (a weighted checksum). */
static inline indices_t value_marks(works_t values, uint j)
{
#if ELEMENT == 64
	indices_t bits = as_ulong8(values);

	return MARK_MIX(bits & 0xffffffffUL, 32UL) * (ulong)mark_weight(2 * j) +
		MARK_MIX(bits >> 32UL, 32UL) * (ulong)mark_weight(2 * j + 1);
#else
	indices_t words = CONVERT(indices_t, INDEX, LANES, values);

	return MARK_MIX(words, (index_t)ELEMENT) *
		(indices_t)(index_t)mark_weight(j);
#endif
}

/* Store a strip, which has the predecessors of up to STRIP columns in LANES rows:
   strip[column][lane] goes to row first + lane and column begin + column of `out`. The
   loop over a whole strip is unrolled, because it then takes 0.6 of the time of a
   rolled loop. */
static void strip_write(const indices_t *strip, uint begin, uint end,
	uint n_vertices, uint first, uint n_rows, __global predecessor_t *out)
{
#if EXTEND_MAX
	indices_t all = (index_t)-1;

	for (uint c = 0; c < end - begin; c++)
		all &= strip[c];
#endif
	for (uint l = 0; l < LANES && first + l < n_rows; l++) {
		__global predecessor_t *row =
			out + (ulong)(first + l) * n_vertices + begin;
		const index_t *lane = (const index_t *)strip + l;

#if EXTEND_MAX
		/* in most strips of widest paths, no cell of a row has a predecessor;
		   then store -1 (all bits are 1) in the row's cells of this strip */
		if (LANE(index_t, all, l) == (index_t)-1) {
			for (uint c = 0; c < end - begin; c++)
				row[c] = (predecessor_t)-1;
			continue;
		}
#endif
		if (end - begin < STRIP) {
			for (uint c = 0; c < end - begin; c++)
				row[c] = (predecessor_t)lane[c * LANES];
			continue;
		}
#pragma unroll
		for (int c = 0; c < STRIP; c++)
			row[c] = (predecessor_t)lane[c * LANES];
	}
}

/* Results for LANES rows: counts of cells in STRIP columns, and the marks of the rows
   (mark.clh). Each count fits in 16 bits. */
struct found {
	masks_t unproved;
	masks_t misfits;
	masks_t finite;
	indices_t of_values;
	indices_t of_codes;
};

/*
 * Find the predecessors of vertex j from the sources `source`, source + 1, …, and store
 * them. Lane l of `lane` has the value l. A predecessor is first added to the row's
 * mark (a checksum, mark.clh) and stored, and later proved. If a fault changes the
 * predecessor between these two steps, the proof fails or the mark differs.
 */
static inline void column_find(__global const works_t *turned, uint j,
	uint source, masks_t lane, __global const uint *tails,
	__global const uint *codes, __global const value_t *lengths, uint begin,
	uint end, struct divisor divisor, __global const indices_t *settled_codes,
	works_t bound, indices_t *out, struct found *found)
{
	works_t target = turned[j], best;
	masks_t own = lane ==
		(masks_t)(mask_t)(j - source < LANES ? (int)(j - source) : -1);
	masks_t is_finite = target < (works_t)INFINITE;
	indices_t none = (index_t)-1;
#if EXTEND_MAX
	indices_t code = settled_codes[j];
#else
	indices_t code =
		least_codes(turned, tails, codes, lengths, begin, end, &best);
#endif

	code = own ? none : code;
	found->of_values += value_marks(target, j);
	found->of_codes += MARK_MIX(code & (indices_t)(index_t)(predecessor_t)-1,
				   (index_t)PREDECESSOR_BITS) *
		(indices_t)(index_t)mark_weight(j);
	*out = code;

#if EXTEND_MAX
	masks_t settled = own | (target == bound), tight = code == none;

	best = least_value(turned, tails, lengths, begin, end);
	if (any_of(~settled))
		tight = settled ? tight
				: code_is_tight(turned, tails, codes, lengths,
					  begin, end, target, code);
#else
	indices_t lowest =
		lowest_tight(turned, tails, codes, lengths, begin, end, target);

	lowest = own | ~is_finite ? none : lowest;
	masks_t tight = code == lowest;
#endif
	best = own ? (works_t)(work_t)0 : best;
	found->unproved -= (best != target) | ~tight;
	found->finite -= is_finite;
	if (divisor.scale > 0)
		found->misfits -=
			is_multiple(target, divisor) & is_finite & ~own;
#if ELEMENT == 64
	found->misfits -= (target >= (works_t)9007199254740992.0) & is_finite &
		~own;
#endif
}

/* Find the predecessors in LANES rows, beginning with row `first`. */
static inline void rows_find(__global const value_t *v, uint n_vertices,
	uint r0, __global const uint *offsets, __global const uint *tails,
	__global const uint *codes, __global const value_t *lengths, uint scale,
	__global predecessor_t *out, volatile __global uint *checks, uint n_rows,
	uint value_marks_at, uint code_marks_at, __global works_t *turned,
	__global const indices_t *settled_codes,
	__global const value_t *root_to, __global const value_t *root_from,
	uint first)
{
	struct divisor divisor = divisor_of(scale);
	struct found found = {0, 0, 0, 0, 0};
	masks_t lane;
	indices_t strip[STRIP];
	uint counts[3] = {0, 0, 0};

	works_t bound = 0;
#if EXTEND_MAX
	works_t to = root_lanes(root_to, n_vertices, r0 + first);
#endif

	for (uint l = 0; l < LANES; l++)
		LANE(mask_t, lane, l) = (mask_t)l;
	for (uint begin = 0; begin < n_vertices; begin += STRIP) {
		uint end = min(begin + STRIP, n_vertices);

		found.unproved = found.misfits = found.finite = 0;
		for (uint j = begin; j < end; j++) {
#if EXTEND_MAX
			bound = root_bound(to, root_from, j);
#endif
			column_find(turned, j, r0 + first, lane, tails, codes,
				lengths, offsets[j], offsets[j + 1], divisor,
				settled_codes, bound, &strip[j - begin], &found);
		}
		strip_write(strip, begin, end, n_vertices, first, n_rows, out);
		for (uint l = 0; l < LANES && first + l < n_rows; l++) {
			counts[0] += (uint)LANE(mask_t, found.unproved, l);
			counts[1] += (uint)LANE(mask_t, found.misfits, l);
			counts[2] += (uint)LANE(mask_t, found.finite, l);
		}
	}
	for (uint c = 0; c < 3; c++)
		if (counts[c] > 0)
			atomic_add(&checks[c], counts[c]);
	for (uint l = 0; l < LANES && first + l < n_rows; l++) {
		checks[value_marks_at + first + l] =
			(uint)LANE(index_t, found.of_values, l);
		checks[code_marks_at + first + l] =
			(uint)LANE(index_t, found.of_codes, l);
	}
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void predecessors(
	__global const value_t *v, uint n_vertices, uint r0,
	__global const uint *offsets, __global const uint *tails,
	__global const uint *codes, __global const value_t *lengths, uint scale,
	__global predecessor_t *out, volatile __global uint *checks, uint n_rows,
	uint value_marks_at, uint code_marks_at, __global works_t *all_turned
#if EXTEND_MAX
	,
	__global const uint *order, __global works_t *all_settled,
	__global indices_t *all_found, __global uint *stamps,
	__global const value_t *root_to, __global const value_t *root_from
#endif
)
{
	uint vectors = BATCH / LANES, at = get_global_id(0) * vectors;
	__global indices_t *found = 0;
#if !EXTEND_MAX
	__global const value_t *root_to = 0, *root_from = 0;
#endif

	for (uint end = at + vectors; at < end; at++) {
		__global works_t *turned = all_turned + (ulong)at * n_vertices;

		turn_rows(v, n_vertices, at * LANES, n_rows, turned);
#if EXTEND_MAX
		found = all_found + (ulong)at * n_vertices;
		rows_settle(turned, n_vertices, r0 + at * LANES, order, offsets,
			tails, codes, lengths, root_to, root_from,
			all_settled + (ulong)at * n_vertices, found,
			stamps + (ulong)get_global_id(0) * n_vertices);
#endif
		rows_find(v, n_vertices, r0, offsets, tails, codes, lengths,
			scale, out, checks, n_rows, value_marks_at, code_marks_at,
			turned, found, root_to, root_from, at * LANES);
	}
}
