/*
 * Sums and decimal digits of large numbers; see path_count.h.
 */
#include "storage/search/path_count.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128;

enum {
	PIECE_DIGITS = 19, /* a number is printed in pieces of this number of
			      decimal digits */
	PIECES = 70,	   /* a number of 4,096 bits has at most 65 pieces */
};

#define PIECE UINT64_C(10000000000000000000) /* 10^19 */

void apsp_path_count_done(struct apsp_path_count *count)
{
	free(count->words);
	memset(count, 0, sizeof(*count));
}

static int widen(
	struct apsp_path_count *count, uint32_t n_words, struct apsp_err *err)
{
	uint64_t *words;

	if (n_words <= count->n_words)
		return 0;
	words = realloc(count->words, n_words * sizeof(*words));
	if (!words)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a number");
	for (uint32_t i = count->n_words; i < n_words; i++)
		words[i] = 0;
	count->words = words;
	count->n_words = n_words;
	return 0;
}

int apsp_path_count_add(struct apsp_path_count *count,
	const struct apsp_path_count *more, struct apsp_err *err)
{
	uint64_t carry = 0;
	uint32_t i = 0;
	int r = widen(count, more->n_words, err);

	if (r < 0)
		return r;
	for (; i < count->n_words && (i < more->n_words || carry); i++) {
		uint128 sum = (uint128)count->words[i] + carry +
			      (i < more->n_words ? more->words[i] : 0);

		count->words[i] = (uint64_t)sum;
		carry = (uint64_t)(sum >> 64);
	}
	if (carry && count->n_words < APSP_PATH_COUNT_WORDS) {
		r = widen(count, count->n_words + 1, err);
		if (r < 0)
			return r;
		count->words[count->n_words - 1] = carry;
		carry = 0;
	}
	if (!carry && !more->too_many && !count->too_many)
		return 0;
	apsp_path_count_done(count);
	count->too_many = true;
	return 0;
}

/* Divide the number in n words by 10^19 in place, and return the remainder. */
static uint64_t divide(uint64_t *words, uint32_t n)
{
	uint64_t rest = 0;

	for (uint32_t i = n; i > 0; i--) {
		uint128 part = (uint128)rest << 64 | words[i - 1];

		words[i - 1] = (uint64_t)(part / PIECE);
		rest = (uint64_t)(part % PIECE);
	}
	return rest;
}

void apsp_path_count_print(const struct apsp_path_count *count,
	char out[APSP_PATH_COUNT_TEXT_SIZE])
{
	uint64_t words[APSP_PATH_COUNT_WORDS] = {0}, pieces[PIECES] = {0};
	uint32_t n = count->n_words, n_pieces = 0;
	size_t used = 0;
	/* least number of digits to print for a piece: 1 for the first piece,
	   which has no leading zeros */
	int digits = 1;

	if (n > 0)
		memcpy(words, count->words, n * sizeof(*words));
	do {
		pieces[n_pieces++] = divide(words, n);
		while (n > 0 && words[n - 1] == 0)
			n--;
	} while (n > 0);
	for (; n_pieces > 0; digits = PIECE_DIGITS)
		used += (size_t)snprintf(out + used,
			APSP_PATH_COUNT_TEXT_SIZE - used, "%0*" PRIu64, digits,
			pieces[--n_pieces]);
}
