/*
 * Breadth-first search over a list of edges, a level a launch, for a batch of
 * sources. A word holds a byte for each of LANES sources, its lanes: row g of
 * words has one a vertex, columns by position, and lane l of it belongs to the
 * source at position first + g · LANES + l. The byte is a code:
 *
 *	0        the level is in the panels already
 *	1 … 254  the level is base + code
 *	255      not reached yet
 *
 * Method: "SSSP and BFS on Kepler", 2014.
 *
 * bfs_start:  code 1 at the sources; all else is 255 before. One item a source.
 * bfs_round:  where the tail's code is `code` and the head's 255, the head's
 *             becomes code + 1, over the edges [begin, end), for all rows that
 *             changed in the round before. Global size (edges / run, rows /
 *             EDGE_ROWS), both rounded up. changed[0] is the last round in which
 *             anything changed, changed[1 + g] that of row g.
 * bfs_put:    levels into the panels; with `last`, 255 as infinity too. One item
 *             SPAN neighbouring columns of one row of words: global size (columns
 *             / SPAN rounded up, rows). Sources outside this buffer's panels are
 *             passed over.
 * bfs_rebase: after bfs_put, base has grown by 253: 254, the newest, becomes 1,
 *             the codes below it 0. One item a vertex and row: global size
 *             (n_vertices, rows).
 *
 * With LANES 4 a word is 32 bits, and since 255 and any code are that code, it is
 * set by an atomic AND, beside which items that set other lanes lose nothing.
 * With more lanes words are vectors and an item must take all edges of its rows.
 * It goes by runs of one head, whose word stays in registers: reading a word
 * right after it was written is what costs there.
 */
#include "element.clh"

#ifndef SPAN
#define SPAN 1
#endif
#ifndef EDGE_ROWS
#define EDGE_ROWS 1
#endif
#ifndef LANES
#define LANES 4
#endif

#define BOTH_WAYS (1u << 31) /* in a tail */
#define SETTLED 0
#define NEWEST 254
#define UNREACHED 255

#if LANES == 4
typedef uint word_t;

/* 1 in the bytes of x that are 0. */
static inline uint zeros(uint x)
{
	return (~(((x & 0x7f7f7f7fu) + 0x7f7f7f7fu) | x) & 0x80808080u) >> 7;
}

static inline uint reach(
	__global word_t *word, uint from, uint to, uint code)
{
	uint hits = zeros(from ^ code * 0x01010101u) & zeros(~to);

	if (hits)
		atomic_and(word, ~(hits * UNREACHED) | hits * (code + 1));
	return hits;
}

/* Returns what is not 0 if anything was reached. */
static inline uint edges_step(__global word_t *words,
	__global const uint *tails, __global const uint *heads, ulong first,
	ulong last, uint code)
{
	uint reached = 0;

	for (ulong e = first; e < last; e++) {
		uint tail = tails[e] & ~BOTH_WAYS, head = heads[e];
		uint from = words[tail], to = words[head];

		reached |= reach(&words[head], from, to, code);
		if (tails[e] & BOTH_WAYS)
			reached |= reach(&words[tail], to, from, code);
	}
	return reached;
}
#else
typedef uchar word_t __attribute__((ext_vector_type(LANES)));

/* All ones in the bytes of x that are y. */
static inline word_t bytes_like(word_t x, uchar y)
{
	return __builtin_astype(x == y, word_t);
}

static inline uint edges_step(__global word_t *words,
	__global const uint *tails, __global const uint *heads, ulong first,
	ulong last, uint code)
{
	word_t reached = 0;
	uchar next = code + 1;
	uint found = 0;

	for (ulong e = first; e < last;) {
		uint head = heads[e];
		word_t to = words[head];
		word_t here = bytes_like(to, code), from = 0, hits;

		for (; e < last && heads[e] == head; e++) {
			uint tail = tails[e] & ~BOTH_WAYS;
			word_t word = words[tail];

			from |= bytes_like(word, code);
			if (tails[e] & BOTH_WAYS) {
				hits = here & bytes_like(word, UNREACHED);
				words[tail] = word & (~hits | next);
				reached |= hits;
			}
		}
		hits = from & bytes_like(to, UNREACHED);
		words[head] = to & (~hits | next);
		reached |= hits;
	}
	for (int l = 0; l < LANES; l++)
		found |= reached[l];
	return found;
}
#endif

__kernel void bfs_start(__global uchar *codes, uint n_vertices, uint first)
{
	uint s = get_global_id(0);

	codes[((ulong)(s / LANES) * n_vertices + first + s) * LANES +
		s % LANES] = 1;
}

__kernel void bfs_round(__global word_t *words, __global const uint *tails,
	__global const uint *heads, uint n_vertices,
	volatile __global uint *changed, ulong begin, ulong end, uint run,
	uint n_rows, uint round, uint code)
{
	ulong first = begin + (ulong)get_global_id(0) * run;
	ulong last = first + run < end ? first + run : end;
	uint r0 = get_global_id(1) * EDGE_ROWS;

	for (uint r = r0; r < r0 + EDGE_ROWS && r < n_rows; r++) {
		if (changed[1 + r] + 1 < round)
			continue;
		if (edges_step(words + (ulong)r * n_vertices, tails, heads,
			    first, last, code)) {
			changed[0] = round;
			changed[1 + r] = round;
		}
	}
}

__kernel void bfs_put(__global value_t *panels, uint base, uint n_panels,
	uint n_tiles, uint n_vertices, uint first,
	__global const uchar *codes, int base_level, uint last)
{
	uint g = get_global_id(1), begin = get_global_id(0) * SPAN;
	__global const uchar *row = codes + (ulong)g * n_vertices * LANES;

	for (uint l = 0; l < LANES; l++) {
		uint u = first + g * LANES + l;

		if (u >= n_vertices || u / TILE < base ||
			u / TILE >= base + n_panels)
			continue;
		for (uint j = begin; j < begin + SPAN && j < n_vertices; j++) {
			uchar code = row[(ulong)j * LANES + l];
			int level = base_level + code;
			value_t v = level < V_INFINITY ? (value_t)level
						       : V_INFINITY;

			if (code == UNREACHED)
				v = V_INFINITY;
			if (code != SETTLED && (last || code != UNREACHED))
				panels[VALUE_AT(u, j, base, n_tiles)] = v;
		}
	}
}

__kernel void bfs_rebase(__global uchar *codes, uint n_vertices)
{
	ulong word = (ulong)get_global_id(1) * n_vertices + get_global_id(0);

	for (uint l = 0; l < LANES; l++) {
		uchar code = codes[word * LANES + l];

		if (code != UNREACHED)
			codes[word * LANES + l] = code == NEWEST ? 1 : SETTLED;
	}
}
