/*
 * Decimal numbers in text, independent of the locale.
 */
#ifndef APSP_DAEMON_BASE_NUMBER_H
#define APSP_DAEMON_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	/* largest size of a number's text in bytes; longer texts are refused */
	APSP_NUMBER_MAX = 512,
	/* size of a formatted number with its NUL */
	APSP_NUMBER_TEXT_SIZE = 32,
};

enum apsp_number {
	APSP_NUMBER_FINITE,
	APSP_NUMBER_INFINITE, /* the text is infinity, such as "inf" or
				 "-Infinity" */
	APSP_NUMBER_NAN,
	/* the number is too large for a double, or so close to 0 that a double
	   cannot hold it */
	APSP_NUMBER_RANGE,
	APSP_NUMBER_NONE, /* the text is not a number */
};

/*
 * Parse the whole text. A number has an optional sign and then decimal digits
 * with at most one point and an optional exponent. Instead of digits, a number
 * may have one of the words inf, infinity and nan, in upper or lower case. *out
 * is set to the nearest double, ties to even, but only if the function returns
 * APSP_NUMBER_FINITE or APSP_NUMBER_INFINITE.
 */
enum apsp_number apsp_number_parse(const char *text, size_t size, double *out);

/* Parse a text of decimal digits as an integer from 0 to `most`. False: the
   text has other characters, or the integer is larger; *out is then undefined.
 */
bool apsp_number_parse_count(const char *text, uint64_t most, uint64_t *out);

/* Write a finite number with 17 significant digits, so that parsing the text
   gives the same number. */
void apsp_number_format(double value, char out[APSP_NUMBER_TEXT_SIZE]);

#endif
