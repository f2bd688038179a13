/*
 * Bit matrices: the closure and its transposed form (design.md, decision 11).
 */
#include "compute/bits.h"

#include <stdlib.h>
#include <string.h>

enum {
	BLOCK = 64, /* rows and columns that are transposed in registers */
	TILE = 8,   /* blocks a side of a tile: whole cache lines, both ways */
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
 * Swap ever smaller quadrants: halves of 32 rows, of 16, …, single rows.
 * Method: Warren, Hacker's Delight, section 7-3.
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

static void transpose_at(const struct apsp_bits *in, struct apsp_bits *out,
	uint64_t block_row, uint64_t block_column)
{
	uint64_t row = block_row * BLOCK;
	uint64_t column = block_column * BLOCK;
	uint64_t block[BLOCK] = {0};

	for (uint64_t i = 0; i < BLOCK && row + i < in->n_rows; i++)
		block[i] = apsp_bits_row(in, row + i)[block_column];
	transpose_block(block);
	for (uint64_t i = 0; i < BLOCK && column + i < in->n_columns; i++)
		apsp_bits_row(out, column + i)[block_row] = block[i];
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

int apsp_bits_transpose(
	const struct apsp_bits *in, struct apsp_bits *out, struct apsp_err *err)
{
	struct apsp_bits made = {0};
	int r;

	r = apsp_bits_init(&made, in->n_columns, in->n_rows, err);
	if (r < 0)
		return r;

	for (uint64_t row = 0; row < made.row_words; row += TILE) {
		for (uint64_t column = 0; column < in->row_words;
			column += TILE) {
			uint64_t row_end = least(row + TILE, made.row_words);
			uint64_t column_end =
				least(column + TILE, in->row_words);

			for (uint64_t i = row; i < row_end; i++)
				for (uint64_t j = column; j < column_end; j++)
					transpose_at(in, &made, i, j);
		}
	}
	*out = made;
	return 0;
}
