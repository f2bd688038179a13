/*
 * Parsing and formatting numbers; see number.h. Most weights have few digits.
 * The mantissa and the power of ten of such a weight are exact doubles. So
 * their product or quotient is rounded correctly (Clinger 1990, "How to read
 * floating point numbers accurately"). strtod() in the C locale parses all
 * other numbers.
 */
#include "daemon/base/number.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
	/* 10^22 is the largest power of ten that a double holds exactly */
	EXACT_POWER = 22,
	EXACT_DIGITS = 19, /* any number of 19 digits fits in 64 bits */
	EXPONENT_LIMIT = 100000,
};

static const double powers[EXACT_POWER + 1] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5,
	1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
	1e18, 1e19, 1e20, 1e21, 1e22};

/*
 * A number that was read from decimal digits. If it has at most EXACT_DIGITS
 * digits, its exact value is mantissa · 10^exponent, negated if `negative` is
 * true.
 */
struct decimal {
	uint64_t mantissa;
	int digits; /* number of digits without leading zeros */
	int exponent;
	bool negative;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Add the digits at p to *d. Returns the address of the first byte that is not
   a digit. */
static const char *digits_read(
	const char *p, const char *end, bool fraction, struct decimal *d)
{
	for (; p < end && is_digit(*p); p++) {
		if (d->digits < EXACT_DIGITS)
			d->mantissa = d->mantissa * 10 + (uint64_t)(*p - '0');
		if (d->mantissa)
			d->digits++;
		if (fraction)
			d->exponent--;
	}
	return p;
}

/* Read the exponent that follows an e; NULL: no digits follow. */
static const char *exponent_read(
	const char *p, const char *end, struct decimal *d)
{
	bool negative = p < end && *p == '-';
	int exponent = 0;

	if (p < end && (*p == '-' || *p == '+'))
		p++;
	if (p == end || !is_digit(*p))
		return NULL;
	for (; p < end && is_digit(*p); p++)
		if (exponent < EXPONENT_LIMIT)
			exponent = exponent * 10 + (*p - '0');
	d->exponent += negative ? -exponent : exponent;
	return p;
}

/* Parse with strtod(). The caller has checked that `text` is a number. */
static enum apsp_number slow_parse(
	const char *text, size_t size, bool zero, double *out)
{
	char copy[APSP_NUMBER_MAX + 1];
	locale_t c_locale;
	double value;

	memcpy(copy, text, size);
	copy[size] = '\0';
	c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	value = strtod_l(copy, NULL, c_locale);
	freelocale(c_locale);
	if (isinf(value) || (value == 0 && !zero))
		return APSP_NUMBER_RANGE;
	*out = value;
	return APSP_NUMBER_FINITE;
}

enum apsp_number apsp_number_parse(const char *text, size_t size, double *out)
{
	const char *p = text, *end = text + size, *first;
	struct decimal d = {0};
	double value;

	if (size == 0 || size > APSP_NUMBER_MAX)
		return APSP_NUMBER_NONE;
	d.negative = *p == '-';
	if (*p == '-' || *p == '+')
		p++;
	first = p;
	p = digits_read(p, end, false, &d);
	if (p < end && *p == '.') {
		p = digits_read(p + 1, end, true, &d);
		if (p == first + 1)
			return APSP_NUMBER_NONE; /* the text is a point without
						    digits */
	} else if (p == first) {
		size_t left = (size_t)(end - p);

		if (left == 3 && strncasecmp(p, "nan", 3) == 0)
			return APSP_NUMBER_NAN;
		if ((left != 3 || strncasecmp(p, "inf", 3) != 0) &&
			(left != 8 || strncasecmp(p, "infinity", 8) != 0))
			return APSP_NUMBER_NONE;
		*out = d.negative ? -INFINITY : INFINITY;
		return APSP_NUMBER_INFINITE;
	}
	if (p < end && (*p == 'e' || *p == 'E'))
		p = exponent_read(p + 1, end, &d);
	if (p != end)
		return APSP_NUMBER_NONE;
	if (d.digits > EXACT_DIGITS || d.mantissa > UINT64_C(1) << 53 ||
		d.exponent < -EXACT_POWER || d.exponent > EXACT_POWER)
		return slow_parse(text, size, d.mantissa == 0, out);
	value = (double)d.mantissa;
	if (d.exponent < 0)
		value /= powers[-d.exponent];
	else
		value *= powers[d.exponent];
	*out = d.negative ? -value : value;
	return APSP_NUMBER_FINITE;
}

bool apsp_number_parse_count(const char *text, uint64_t most, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 10);
	return is_digit(*text) && !*end && errno == 0 && *out <= most;
}

void apsp_number_format(double value, char out[APSP_NUMBER_TEXT_SIZE])
{
	locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	locale_t before = uselocale(c_locale);

	snprintf(out, APSP_NUMBER_TEXT_SIZE, "%.17g", value);
	uselocale(before);
	freelocale(c_locale);
}
