/*
 * A matrix of bits in rows of 64-bit words: bit j of row i is bit j % 64 of
 * word j / 64. Bits of a word past the last column are 0.
 */
#ifndef APSP_COMPUTE_BITS_H
#define APSP_COMPUTE_BITS_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"

struct apsp_bits {
	uint64_t n_rows;
	uint64_t n_columns;
	uint64_t row_words;
	uint64_t *words; /* owned */
};

/* Make a matrix of zeros. The caller ends *out with apsp_bits_done().
   APSP_ENOMEM. */
int apsp_bits_init(struct apsp_bits *out, uint64_t n_rows, uint64_t n_columns,
	struct apsp_err *err);
void apsp_bits_done(struct apsp_bits *bits);

/* Make *out the transpose of *in: out[j][i] = in[i][j]. Works in blocks of 64 ×
   64 bits. The caller ends `out` with apsp_bits_done(). APSP_ENOMEM. */
int apsp_bits_transpose(const struct apsp_bits *in, struct apsp_bits *out,
	struct apsp_err *err);

/* Count the bits of the matrix that have the value 1. If the matrix has many
   rows, the loop runs on all of the host's processors. */
uint64_t apsp_bits_count(const struct apsp_bits *bits);

static inline uint64_t *apsp_bits_row(const struct apsp_bits *b, uint64_t i)
{
	return b->words + i * b->row_words;
}

static inline bool apsp_bits_get(
	const struct apsp_bits *b, uint64_t i, uint64_t j)
{
	return apsp_bits_row(b, i)[j / 64] >> (j % 64) & 1;
}

static inline void apsp_bits_set(struct apsp_bits *b, uint64_t i, uint64_t j)
{
	apsp_bits_row(b, i)[j / 64] |= UINT64_C(1) << (j % 64);
}

#endif
