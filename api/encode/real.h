/*
 * Numbers as decimal text ("0.1", "1e-07", "3"). A text has the fewest digits
 * that read back as the same float64. If several texts are equally short, the
 * one that is nearest to the number is chosen.
 *
 * Method: R. Giulietti, The Schubfach way to render doubles (2020). This method
 * takes some 20 ns for a number, a tenth of the time of snprintf("%.17g").
 */
#ifndef APSP_API_ENCODE_REAL_H
#define APSP_API_ENCODE_REAL_H

#include <stdint.h>

#include "api/encode/text.h"

/*
 * Append `value`, which must be finite, as a JSON number. Whole numbers below
 * 1e17 have no point. Numbers below 1e-4 or from 1e17 on have an exponent of
 * two or three digits. (All these limits are for the magnitude.)
 */
void apsp_real_append(struct apsp_text *text, double value);

/* Append a whole number, without point or exponent. */
void apsp_integer_append(struct apsp_text *text, int64_t value);

#endif
