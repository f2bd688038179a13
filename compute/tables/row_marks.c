/*
 * Computes marks (checksums) of rows on the host; see row_marks.h. Compilers
 * vectorise the loops.
 */
#include "compute/tables/row_marks.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "compute/wide.h"
#include "daemon/base/auto.h"

/* Return the weight of the word at index `at` of a row. It equals the result of
   mark_weight() in kernels/mark.clh. */
static uint32_t weight(uint32_t at)
{
	uint32_t x = (at + 1) * UINT32_C(0x9e3779b1);

	x ^= x >> 15;
	x *= UINT32_C(0x85ebca6b);
	x ^= x >> 13;
	return x | 1;
}

int apsp_row_weights_init(
	struct apsp_row_weights *out, uint32_t n, struct apsp_err *err)
{
	APSP_AUTO(apsp_row_weights_done) struct apsp_row_weights made = {0};

	made.narrow = malloc((size_t)n * sizeof(*made.narrow) + 1);
	made.wide = malloc(2 * (size_t)n * sizeof(*made.wide) + 1);
	if (!made.narrow || !made.wide)
		return apsp_fail(err, APSP_ENOMEM, "weigh %u columns", n);
	for (uint32_t j = 0; j < n; j++)
		made.narrow[j] = (uint16_t)weight(j);
	for (uint32_t j = 0; j < 2 * n; j++)
		made.wide[j] = weight(j);
	*out = APSP_TAKE(made);
	return 0;
}

void apsp_row_weights_done(struct apsp_row_weights *weights)
{
	free(weights->narrow);
	free(weights->wide);
	*weights = (struct apsp_row_weights){0};
}

/* Return the product modulo 2^16 of a mixed word and its weight. */
static uint16_t product(int mixed, uint16_t weight)
{
	return (uint16_t)((uint32_t)mixed * weight);
}

/* Words are mixed as by MARK_MIX() in kernels/mark.clh. */
APSP_WIDE uint32_t apsp_row_mark(const struct apsp_row_weights *weights,
	const void *row, uint32_t n, enum apsp_element element)
{
	size_t words = n * (apsp_element_size(element) / sizeof(uint32_t));
	const uint8_t *bytes = row;
	const uint16_t *narrow = row;
	const uint32_t *wide = row;
	uint16_t narrow_sum = 0;
	uint32_t wide_sum = 0;

	if (element == APSP_ELEMENT_U8) {
		for (size_t j = 0; j < n; j++)
			narrow_sum =
				(uint16_t)(narrow_sum +
					   product(bytes[j] ^ bytes[j] >> 4,
						   weights->narrow[j]));
		return narrow_sum;
	}
	if (words == 0) {
		for (size_t j = 0; j < n; j++)
			narrow_sum =
				(uint16_t)(narrow_sum +
					   product(narrow[j] ^ narrow[j] >> 8,
						   weights->narrow[j]));
		return narrow_sum;
	}
	for (size_t j = 0; j < words; j++)
		wide_sum += (wide[j] ^ wide[j] >> 16) * weights->wide[j];
	return wide_sum;
}

APSP_WIDE uint32_t apsp_row_mark_rounded(
	const struct apsp_row_weights *weights, const double *sums, uint32_t n)
{
	const uint32_t *factors = weights->wide;
	uint32_t sum = 0;

	for (uint32_t j = 0; j < n; j++) {
		float rounded = (float)sums[j];
		uint32_t word;

		memcpy(&word, &rounded, sizeof(word));
		sum += (word ^ word >> 16) * factors[j];
	}
	return sum;
}
