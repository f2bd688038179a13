/*
 * Breadth-first search over a list of edges, one level in each round. This file
 * includes edge_sweep.clh, with a byte for each lane. The byte is a code for the level
 * of the vertex:
 *
 *	0        the level is already in the panels
 *	1 … 254  the level is base_level + code
 *	255      the vertex is not reached yet
 *
 * sweep:   its last argument is the newest code. If the tail of an edge has the newest
 *          code and the head has code 255, the head's code becomes the newest code + 1.
 * harvest: store the levels of codes 1 … 254, and infinity for 255. A later harvest
 *          may replace infinity by a level. Cells of code 0 stay as they are.
 * rebase:  make room for new codes: code 254, the newest, becomes 1, and lower codes
 *          become 0. The host runs this kernel after harvest, and then raises
 *          base_level by 253. One work-item for each vertex of each row: global size
 *          (n_vertices, rows).
 *
 * If LANES is 4, a word has 32 bits, and an item sets a lane with an atomic AND. A lane
 * that is not reached has code 255, and the AND of 255 and the new code is the new
 * code. In the other lanes, the operand of the AND has all bits set, so the AND keeps
 * the codes that other items store in these lanes. With more lanes, a word consists of
 * PARTS vectors. Such a word is not written atomically, so an item must sweep all edges
 * of its rows. The word of a head stays in registers for all neighbouring edges to this
 * head, because reading a word right after writing it is slow.
 */
#include "element.clh"
#include "lanes.clh"

#ifndef LANES
#define LANES 4
#endif

#define SETTLED 0
#define OLDEST 1
#define NEWEST 254
#define UNREACHED 255

#if LANES == 4
typedef uint word_t;
#else
#include "parts.clh"
typedef VECTOR(uchar, PART) part_t;
typedef struct {
	part_t part[PARTS];
} word_t;
#endif
typedef uchar lane_t;
#define AT_SOURCE OLDEST
#define own_t uint
#include "edge_sweep.clh"

#if LANES == 4
/* Return a word with 1 in each byte in which x is 0, and with 0 in all other bytes. */
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

static inline uint edges_relax(__global word_t *words,
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
/* Return a vector with all bits 1 in each byte in which x equals y, and with 0 in all
   other bytes. */
static inline part_t bytes_like(part_t x, uchar y)
{
	return AS(part_t, uchar, PART, x == y);
}

/* A word has the levels of one vertex, in several vectors (parts). Relax along the
   edges [first, last), in part p of the words only. Each byte of the result belongs to
   one source (lane), and is not 0 if a vertex was newly reached from that source. */
static inline part_t part_relax(__global word_t *words, uint p,
	__global const uint *tails, __global const uint *heads, ulong first,
	ulong last, uint code)
{
	part_t reached = 0;
	uchar next = code + 1;

	for (ulong e = first; e < last;) {
		uint head = heads[e];
		part_t to = words[head].part[p];
		part_t here = bytes_like(to, code), from = 0, hits;

		for (; e < last && heads[e] == head; e++) {
			uint tail = tails[e] & ~BOTH_WAYS;
			part_t word = words[tail].part[p];

			from |= bytes_like(word, code);
			if (tails[e] & BOTH_WAYS) {
				hits = here & bytes_like(word, UNREACHED);
				words[tail].part[p] = word & (~hits | next);
				reached |= hits;
			}
		}
		hits = from & bytes_like(to, UNREACHED);
		words[head].part[p] = to & (~hits | next);
		reached |= hits;
	}
	return reached;
}

static inline uint edges_relax(__global word_t *words,
	__global const uint *tails, __global const uint *heads, ulong first,
	ulong last, uint code)
{
	uint found = 0;

	for (uint p = 0; p < PARTS; p++) {
		part_t reached = part_relax(
			words, p, tails, heads, first, last, code);

		for (int l = 0; l < PART; l++)
			found |= LANE(uchar, reached, l);
	}
	return found;
}
#endif

__kernel void harvest(__global value_t *panels, uint base, uint n_panels,
	uint n_tiles, uint n_vertices, uint first,
	__global const uchar *codes, int base_level)
{
	uint g = get_global_id(1), begin = get_global_id(0) * SPAN;
	__global const uchar *row = codes + (ulong)g * n_vertices * LANES;

	for (uint l = 0; l < LANES; l++) {
		uint u = first + g * LANES + l;

		/* Skip rows that this buffer of the panels does not hold. If a lane has
		   no source, its row is outside the buffer or is padding. No result
		   uses padding. */
		if (u / TILE < base || u / TILE >= base + n_panels)
			continue;
		for (uint j = begin; j < begin + SPAN && j < n_vertices; j++) {
			uchar code = row[(ulong)j * LANES + l];
			int level = base_level + code;

			if (code != SETTLED)
				panels[VALUE_AT(u, j, base, n_tiles)] =
					code != UNREACHED && level < V_INFINITY
						? (value_t)level
						: V_INFINITY;
		}
	}
}

__kernel void rebase(__global uchar *codes, uint n_vertices)
{
	ulong word = (ulong)get_global_id(1) * n_vertices + get_global_id(0);

	for (uint l = 0; l < LANES; l++) {
		uchar code = codes[word * LANES + l];

		if (code != UNREACHED)
			codes[word * LANES + l] =
				code == NEWEST ? OLDEST : SETTLED;
	}
}
