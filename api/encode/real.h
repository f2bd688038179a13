/*
 * Numbers as decimal text: the fewest digits that read back as the same
 * float64, and among those the nearest ("0.1", "1e-07", "3").
 *
 * Method: R. Giulietti, The Schubfach way to render doubles (2020). It takes
 * some 20 ns, a tenth of snprintf("%.17g").
 */
#ifndef APSP_API_ENCODE_REAL_H
#define APSP_API_ENCODE_REAL_H

#include <stddef.h>
#include <stdint.h>

#include "api/encode/text.h"

enum {
	APSP_REAL_SIZE = 40, /* room that the functions below need */
};

/*
 * Write value, which must be finite, into out without a NUL; returns the bytes
 * written. The text is a number of JSON: whole numbers have no point, numbers
 * below 1e-4 or from 1e17 on an exponent of two or three digits.
 */
size_t apsp_real_write(double value, char out[APSP_REAL_SIZE]);

/* Write a whole number in the same way. */
size_t apsp_integer_write(int64_t value, char out[APSP_REAL_SIZE]);

/* Append a number to a text. */
static inline void apsp_real_append(struct apsp_text *text, double value)
{
	char *at = apsp_text_reserve(text, APSP_REAL_SIZE);

	if (at)
		text->size += apsp_real_write(value, at);
}

static inline void apsp_integer_append(struct apsp_text *text, int64_t value)
{
	char *at = apsp_text_reserve(text, APSP_REAL_SIZE);

	if (at)
		text->size += apsp_integer_write(value, at);
}

#endif
