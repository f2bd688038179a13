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
 * With 4 lanes a word is 32 bits, and since 255 and any code are that code, it
 * is set by an atomic AND, beside which items that set other lanes lose nothing.
 * With more lanes words are vectors, and one item must take all edges of a row.
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

/* Returns what is not 0 if the head's word has changed. */
static inline word_t step(
	__global word_t *words, uint tail, uint head, uint code)
{
	word_t hit = zeros(words[tail] ^ code * 0x01010101u) &
		zeros(~words[head]);

	if (hit)
		atomic_and(&words[head],
			~(hit * UNREACHED) | hit * (code + 1));
	return hit;
}

#define ANY(hit) ((hit) != 0)
#else
typedef uchar word_t __attribute__((ext_vector_type(LANES)));

static inline word_t step(
	__global word_t *words, uint tail, uint head, uint code)
{
	word_t from = words[tail], to = words[head];
	word_t hit = __builtin_astype(
		(from == (uchar)code) & (to == (uchar)UNREACHED), word_t);

	words[head] = to & (~hit | (uchar)(code + 1));
	return hit;
}

static inline uint any(word_t hit)
{
	uint found = 0;

	for (int l = 0; l < LANES; l++)
		found |= hit[l];
	return found;
}

#define ANY(hit) any(hit)
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
	word_t hits[EDGE_ROWS];

	for (uint r = 0; r < EDGE_ROWS; r++)
		hits[r] = 0;
	for (uint r = 0; r < EDGE_ROWS && r0 + r < n_rows; r++) {
		__global word_t *row = words + (ulong)(r0 + r) * n_vertices;

		if (changed[1 + r0 + r] + 1 < round)
			continue;
		for (ulong e = first; e < last; e++) {
			uint tail = tails[e] & ~BOTH_WAYS, head = heads[e];

			hits[r] |= step(row, tail, head, code);
			if (tails[e] & BOTH_WAYS)
				hits[r] |= step(row, head, tail, code);
		}
	}
	for (uint r = 0; r < EDGE_ROWS; r++)
		if (ANY(hits[r])) {
			changed[0] = round;
			changed[1 + r0 + r] = round;
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
