/*
 * Transposes a matrix of bits, and counts its bits; see bits.h
 * (compute/closure/README.md, Closure is bits).
 */
#include "compute/bits.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "compute/parallel.h"
#include "compute/wide.h"

enum {
	BLOCK = 64, /* number of rows, and of columns, of a block of bits */
	/* a tile has TILE × TILE blocks; each row of a tile has 8 words, which
	   fill a cache line */
	TILE = 8,
	/* a thread takes this number of rows at a time to count their bits */
	COUNT_ROWS = 64,
	/* a loop with fewer iterations than this number runs on one thread,
	   because starting more threads would take longer than it saves */
	SERIAL_TILES = 8,
};

int apsp_bits_init(struct apsp_bits *out, uint64_t n_rows, uint64_t n_columns,
	struct apsp_err *err)
{
	uint64_t row_words = n_columns / 64 + (n_columns % 64 != 0);
	uint64_t *words = NULL;
	uint64_t size;

	if (!__builtin_mul_overflow(
		    n_rows * sizeof(*words), row_words, &size) &&
		n_rows <= PTRDIFF_MAX / sizeof(*words) && size <= PTRDIFF_MAX)
		words = calloc(1, size != 0 ? size : 1);
	if (!words)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for %llu × %llu bits",
			(unsigned long long)n_rows,
			(unsigned long long)n_columns);

	*out = (struct apsp_bits){.n_rows = n_rows,
		.n_columns = n_columns,
		.row_words = row_words,
		.words = words};
	return 0;
}

void apsp_bits_done(struct apsp_bits *bits)
{
	free(bits->words);
	*bits = (struct apsp_bits){0};
}

/*
 * Transpose a block: swap its upper right and lower left quadrants, then do the
 * same in each quadrant, down to single bits. Method: Warren, Hacker's Delight,
 * section 7-3.
 */
static void transpose_block(uint64_t block[BLOCK])
{
	uint64_t mask = UINT64_C(0x00000000ffffffff);

	for (unsigned width = 32; width != 0; width /= 2) {
		for (unsigned base = 0; base < BLOCK; base += 2 * width) {
			for (unsigned i = base; i < base + width; i++) {
				uint64_t *a = &block[i];
				uint64_t *b = &block[i + width];
				uint64_t swap = (*a >> width ^ *b) & mask;

				*b ^= swap;
				*a ^= swap << width;
			}
		}
		mask ^= mask << width / 2;
	}
}

/* A copy of a tile of the matrix, in which the blocks of the tile are
   transposed. In the matrix itself, the addresses of rows may differ by a power
   of two. Such rows would evict each other from the cache. */
struct tile {
	uint64_t blocks[TILE][TILE][BLOCK];
};

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Copy the tile of *in at (tile_row, tile_column), and transpose each of its
   blocks. */
static void tile_load(const struct apsp_bits *in, uint64_t tile_row,
	uint64_t tile_column, struct tile *tile)
{
	uint64_t row = tile_row * TILE * BLOCK, word = tile_column * TILE;
	uint64_t n_words = least(TILE, in->row_words - word);

	for (uint64_t i = 0; i < TILE * BLOCK; i++)
		for (uint64_t w = 0; w < n_words; w++)
			tile->blocks[i / BLOCK][w][i % BLOCK] =
				row + i < in->n_rows
					? apsp_bits_row(in, row + i)[word + w]
					: 0;
	for (uint64_t i = 0; i < TILE; i++)
		for (uint64_t w = 0; w < n_words; w++)
			transpose_block(tile->blocks[i][w]);
}

/* The arguments of transpose_tiles(), which transposes a column of tiles of *in
   to a row of tiles of *out. */
struct transpose {
	const struct apsp_bits *in;
	const struct apsp_bits *out;
};

static void transpose_tiles(void *ctx, unsigned int thread, size_t tile_column)
{
	const struct transpose *t = ctx;
	uint64_t row = tile_column * TILE * BLOCK;
	uint64_t n_rows = least(TILE * BLOCK, t->out->n_rows - row);
	struct tile tile;

	(void)thread;
	for (uint64_t word = 0; word < t->out->row_words; word += TILE) {
		uint64_t n_words = least(TILE, t->out->row_words - word);

		tile_load(t->in, word / TILE, tile_column, &tile);
		for (uint64_t i = 0; i < n_rows; i++)
			for (uint64_t w = 0; w < n_words; w++)
				apsp_bits_row(t->out, row + i)[word + w] =
					tile.blocks[w][i / BLOCK][i % BLOCK];
	}
}

int apsp_bits_transpose(
	const struct apsp_bits *in, struct apsp_bits *out, struct apsp_err *err)
{
	struct apsp_bits made = {0};
	struct transpose transpose = {in, &made};
	size_t n_tiles = (in->row_words + TILE - 1) / TILE;
	unsigned int width = apsp_parallel_processors();
	int r;

	r = apsp_bits_init(&made, in->n_columns, in->n_rows, err);
	if (r < 0)
		return r;
	apsp_parallel_for(n_tiles, n_tiles < SERIAL_TILES ? 1 : width,
		transpose_tiles, &transpose);
	*out = made;
	return 0;
}

/* Count the bits with the value 1 in n words. Most processors have an
   instruction for it; APSP_WIDE lets the compiler use this instruction. */
APSP_WIDE static uint64_t words_count(const uint64_t *words, uint64_t n)
{
	uint64_t sum = 0;

	for (uint64_t w = 0; w < n; w++)
		sum += (uint64_t)__builtin_popcountll(words[w]);
	return sum;
}

struct count {
	const struct apsp_bits *bits;
	atomic_uint_least64_t sum;
};

static void rows_count(void *ctx, unsigned int thread, size_t i)
{
	struct count *count = ctx;
	uint64_t first = i * COUNT_ROWS;
	uint64_t n_rows = least(COUNT_ROWS, count->bits->n_rows - first);

	(void)thread;
	atomic_fetch_add(
		&count->sum, words_count(apsp_bits_row(count->bits, first),
				     n_rows * count->bits->row_words));
}

uint64_t apsp_bits_count(const struct apsp_bits *bits)
{
	struct count count = {.bits = bits};
	size_t n = (bits->n_rows + COUNT_ROWS - 1) / COUNT_ROWS;

	apsp_parallel_for(n, n < SERIAL_TILES ? 1 : apsp_parallel_processors(),
		rows_count, &count);
	return atomic_load(&count.sum);
}
