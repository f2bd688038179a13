/*
 * Blocked Floyd–Warshall, all three phases, for GPUs: V(i,j) = min(V(i,j), V(i,k) ⊗
 * V(k,j)) for the tiles (i, j) of two rectangles and the pivot tiles k of a block. The
 * arguments are those of relax_cpu.cl, without `turns`. One work-group relaxes one
 * tile. Method: Katz & Kider 2008, with register tiles as in matrix products.
 *
 * A group has 16 × 16 items (x, y); in 16 bits it has 8 × 16. Each item holds eight
 * rows of the tile in registers, and eight words (words.clh) of each row:
 *
 *	          first four              last four
 *	rows      4y, 4y+1, 4y+2, 4y+3    TILE / 2 more than the first four
 *	words     4x, 4x+1, 4x+2, 4x+3    ROW_WORDS / 2 more than the first four
 *
 * The operands V(i,k) and V(k,j) are read in chunks of CHUNK pivot vertices. In local
 * memory there are two buffers, each with these two arrays:
 *
 *	a[vertex][row]                 a chunk of V(i,k), transposed; in 16 bits, both
 *	                               halves of a word have the same value; padding
 *	                               avoids bank conflicts
 *	b[vertex · ROW_WORDS + word]   a chunk of V(k,j)
 *
 * While items read one buffer, they load the next chunk into registers, and then store
 * it in the other buffer. For each pivot vertex, an item loads its words of `a` and of
 * `b` from local memory, and relaxes all pairs of a word of `a` and a word of `b`:
 *
 *	words of an item    loads of 16 bytes    relaxing instructions    on H200
 *	8 × 8               4                    64
 *	8 × 4               3                    32                       8 % slower
 *
 * An item uses up to 128 registers, so that 512 items fit a compute unit of an H200.
 *
 * The next pivot tile is (close, close). If this tile is among the targets, the group
 * that relaxes the tile then also runs phase 1: the group relaxes the tile through the
 * tile's own vertices. So phase 1 runs while other groups relax their tiles (Katz &
 * Kider 2008, section 4), and needs no launch of its own. Step m of phase 1 stores row
 * m and column m in one of the two buffers. Step m + 1 uses the other buffer, so one
 * barrier in each step is enough.
 *
 * In phase 2, i or j is equal to k, so the target is also the left or the top operand.
 * The group of a target reads the last chunk before it writes the target. Other groups
 * may read the old or the new values; compute/distance/relax.h explains why both are
 * right.
 */
#include "element.clh"
#define FUSE_INTS 1
#include "words.clh"

#if ELEMENT == 16
#define WORD4 uint4
#elif ELEMENT == 32
#define WORD4 int4
#else
#define WORD4 double4
#endif
/* the type of a value of V(i,k) in local memory; in 16 bits, both halves of a word hold
   this value */
typedef word_t left_t;

#ifndef CHUNK
/* Number of pivot vertices in a chunk. With this number, a chunk has at least 16 bytes
   of each row of V(i,k). */
#define CHUNK (ELEMENT == 64 ? 8 : 16)
#endif
#define ROW_WORDS (TILE / WORD_VALUES)

/* an item holds this number of rows, and this number of words of each row */
#define HELD 8
#define COLUMNS (ROW_WORDS / HELD)
#define ROWS (TILE / HELD)
#define ITEMS (COLUMNS * ROWS)
/* number of words of padding after every TILE words in local memory: 16 bytes */
#define PAD (ELEMENT == 64 ? 2 : 4)

#define VALUES (128 / ELEMENT) /* number of values in a load of 16 bytes */
/* number of loads with which an item reads its part of one operand's chunk */
#define LOADS (TILE * CHUNK / VALUES / ITEMS)
/* number of loads that read one row's part of a chunk */
#define CHUNK_LOADS (CHUNK / VALUES)

/* Return the value of column `column`, which lies in `word`. In 16 bits, both halves of
   the result hold the value. */
static inline left_t left_of(word_t word, int column)
{
#if ELEMENT == 16
	return column & 1 ? word >> 16 | (word & 0xffff0000)
			  : (word & 0xffff) | word << 16;
#else
	return word;
#endif
}

/*
 * Load item `id`'s part of a chunk into registers. The chunk has columns [m, m + CHUNK)
 * of the left tile and rows [m, m + CHUNK) of the top tile.
 */
static inline void fetch(uint4 *left_next, uint4 *top_next, uint id,
	__global const value_t *left, __global const value_t *top, uint m)
{
#pragma unroll
	for (int l = 0; l < LOADS; l++) {
		uint at = id + l * ITEMS;
		uint row = at / CHUNK_LOADS, part = at % CHUNK_LOADS;

		left_next[l] = *(__global const uint4 *)(left + row * TILE + m +
			part * VALUES);
		top_next[l] = ((__global const uint4 *)(top + m * TILE))[at];
	}
}

static inline void store(const uint4 *left_next, const uint4 *top_next,
	uint id, __local left_t (*a)[TILE + PAD], __local word_t *b)
{
#pragma unroll
	for (int l = 0; l < LOADS; l++) {
		uint at = id + l * ITEMS;
		uint row = at / CHUNK_LOADS, m = at % CHUNK_LOADS * VALUES;
#if ELEMENT == 16
		uint4 w = left_next[l];

		a[m + 0][row] = left_of(w.x, 0);
		a[m + 1][row] = left_of(w.x, 1);
		a[m + 2][row] = left_of(w.y, 0);
		a[m + 3][row] = left_of(w.y, 1);
		a[m + 4][row] = left_of(w.z, 0);
		a[m + 5][row] = left_of(w.z, 1);
		a[m + 6][row] = left_of(w.w, 0);
		a[m + 7][row] = left_of(w.w, 1);
#elif ELEMENT == 32
		a[m + 0][row] = left_next[l].x;
		a[m + 1][row] = left_next[l].y;
		a[m + 2][row] = left_next[l].z;
		a[m + 3][row] = left_next[l].w;
#else
		a[m + 0][row] = as_double(left_next[l].xy);
		a[m + 1][row] = as_double(left_next[l].zw);
#endif
		((__local uint4 *)b)[at] = top_next[l];
	}
}

/*
 * An item holds HELD rows, and HELD words of each row. Rows and words are
 * numbered from 0. ROW_OF() converts number r to a row of the tile. WORD_OF()
 * converts number c to a word of a row of the tile.
 */
#define ROW_OF(y, r) (4 * (y) + ((r) & 3) + ((r) & 4) * (TILE / 8))
#define WORD_OF(x, c) (4 * (x) + ((c) & 3) + ((c) & 4) * (ROW_WORDS / 8))

/* Relax the item's words through one pivot vertex: `a` has the vertex's column of the
   left operand, and `b` has its row of the top operand. */
static inline void relax_row(word_t (*acc)[HELD], uint x, uint y,
	__local const left_t *a, __local const word_t *b)
{
	left_t left[HELD];
	word_t top[HELD];

#pragma unroll
	for (int r = 0; r < HELD; r++)
		left[r] = a[ROW_OF(y, r)];
#pragma unroll
	for (int c = 0; c < HELD; c++)
		top[c] = b[WORD_OF(x, c)];
#pragma unroll
	for (int r = 0; r < HELD; r++)
#pragma unroll
		for (int c = 0; c < HELD; c++)
			acc[r][c] = relaxed(acc[r][c], left[r], top[c]);
}

static inline void relax_chunk(word_t (*acc)[HELD], uint x, uint y,
	__local left_t (*a)[TILE + PAD], __local const word_t *b)
{
#pragma unroll
	for (int m = 0; m < CHUNK; m++)
		relax_row(acc, x, y, a[m], b + m * ROW_WORDS);
}

/* Load the item's words of the target, four at a time. */
static inline void target_load(
	word_t (*acc)[HELD], uint x, uint y, __global const word_t *target)
{
#pragma unroll
	for (int r = 0; r < HELD; r++)
#pragma unroll
		for (int c = 0; c < HELD; c += 4)
			*(WORD4 *)&acc[r][c] = *(__global const WORD4 *)(target +
				ROW_OF(y, r) * ROW_WORDS + WORD_OF(x, c));
}

static inline void target_store(
	word_t (*acc)[HELD], uint x, uint y, __global word_t *target)
{
#pragma unroll
	for (int r = 0; r < HELD; r++)
#pragma unroll
		for (int c = 0; c < HELD; c += 4)
			*(__global WORD4 *)(target + ROW_OF(y, r) * ROW_WORDS +
				WORD_OF(x, c)) = *(WORD4 *)&acc[r][c];
}

/*
 * Phase 1 of blocked Floyd–Warshall, on the tile in the group's registers: relax
 * through the vertices m = TILE / 2 · half_tile + 8 · q + step, one after another. The
 * loops over half_tile and step are unrolled, so that acc is indexed by constants.
 * Tests define ROLLED, so that the loops are not unrolled. Then a CPU's compiler needs
 * only half the time (tests/run.sh).
 */
static inline void close_tile(word_t (*acc)[HELD], uint x, uint y,
	__local left_t (*columns)[CHUNK][TILE + PAD],
	__local word_t (*rows)[CHUNK * ROW_WORDS])
{
#ifndef ROLLED
#pragma unroll
#endif
	for (int half_tile = 0; half_tile < 2; half_tile++)
		for (uint q = 0; q < TILE / 16; q++)
#ifndef ROLLED
#pragma unroll
#endif
			for (int step = 0; step < 8; step++) {
				const int s = step & 3, qq = step >> 2;
				const int r = 4 * half_tile + s, p = s & 1;
#if ELEMENT == 16
				const int c = 4 * half_tile + 2 * qq + (s >> 1);
				const uint column_x = q;
#else
				const int c = r;
				const uint column_x = 2 * q + qq;
#endif

				if (y == 2 * q + qq)
#pragma unroll
					for (int w = 0; w < HELD; w++)
						rows[p][WORD_OF(x, w)] =
							acc[r][w];
				if (x == column_x)
#pragma unroll
					for (int v = 0; v < HELD; v++)
						columns[p][0][ROW_OF(y, v)] =
							left_of(acc[v][c], s);
				barrier(CLK_LOCAL_MEM_FENCE);
				relax_row(acc, x, y, columns[p][0], rows[p]);
			}
}

/* Return the first chunk, from `chunk` on, for which both the left tile and the top
   tile may have finite values; `end`: there is none. */
static inline uint next_chunk(uint chunk, uint end, uint i, uint j,
	uint first_k, uint n_tiles, __global const uchar *finite)
{
	while (chunk < end && chunk % (TILE / CHUNK) == 0) {
		uint k = first_k + chunk / (TILE / CHUNK);

		if (finite[(ulong)i * n_tiles + k] &&
			finite[(ulong)k * n_tiles + j])
			break;
		chunk += TILE / CHUNK;
	}
	return chunk;
}

/* In relax(): load chunk c of both operands into registers. */
#define FETCH(c)                                                               \
	fetch(left_next, top_next, id,                                         \
		panels +                                                       \
			TILE_AT(i, first_k + (c) / (TILE / CHUNK), base,       \
				n_tiles),                                      \
		pivots +                                                       \
			TILE_AT(first_k + (c) / (TILE / CHUNK), j, pivot_base, \
				n_tiles),                                      \
		(c) % (TILE / CHUNK) * CHUNK)

__kernel __attribute__((reqd_work_group_size(COLUMNS, ROWS, 1))) void relax(
	__global value_t *panels, uint base, __global const value_t *pivots,
	uint pivot_base, uint n_tiles, uint first_k, uint n_k,
	uint4 first_rows, uint4 first_columns, uint4 second_rows,
	uint4 second_columns, uint close, uint later, __global const uchar *finite)
{
	__local left_t a[2][CHUNK][TILE + PAD] __attribute__((aligned(16)));
	__local word_t b[2][CHUNK * ROW_WORDS] __attribute__((aligned(16)));
	uint x = get_local_id(0), y = get_local_id(1), id = y * COLUMNS + x;
	uint2 at = tile_of(get_group_id(0), first_rows, first_columns,
		second_rows, second_columns);
	uint i = at.x, j = at.y;
	uint chunk = 0, end = n_k * (TILE / CHUNK), buffer = 0;
	__global word_t *target;
	word_t acc[HELD][HELD] __attribute__((aligned(32)));
	uint4 left_next[LOADS], top_next[LOADS];
	bool closes;

	if (later)
		chunk = (first_later(i, j, first_k, first_k + n_k) - first_k) *
			(TILE / CHUNK);
	chunk = next_chunk(chunk, end, i, j, first_k, n_tiles, finite);
	closes = i == close && j == close;
	if (chunk >= end && !closes)
		return; /* all items of the group return, so none waits at a barrier */
	target = (__global word_t *)(panels + TILE_AT(i, j, base, n_tiles));
	if (chunk < end) {
		FETCH(chunk);
		target_load(acc, x, y, target);
		store(left_next, top_next, id, a[0], b[0]);
		barrier(CLK_LOCAL_MEM_FENCE);
		while (chunk < end) {
			uint next = next_chunk(chunk + 1, end, i, j, first_k,
				n_tiles, finite);

			/* after the last chunk, the same chunk is loaded once more; a
			   branch that avoids this load would cost 20 registers, and
			   then only half as many groups would fit a compute unit */
			FETCH(min(next, end - 1));
			relax_chunk(acc, x, y, a[buffer], b[buffer]);
			if (next < end)
				store(left_next, top_next, id, a[buffer ^ 1],
					b[buffer ^ 1]);
			barrier(CLK_LOCAL_MEM_FENCE);
			buffer ^= 1;
			chunk = next;
		}
		target_store(acc, x, y, target);
	}
	if (closes) {
		/* load the target again instead of keeping it in acc: acc was not
		   filled if there was no chunk, and the loop above needs all
		   registers */
		word_t own[HELD][HELD] __attribute__((aligned(32)));

		target_load(own, x, y, target);
		close_tile(own, x, y, a, b);
		target_store(own, x, y, target);
	}
}
