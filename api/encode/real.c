/*
 * Schubfach; see real.h. The text of a float64 c · 2^q is a decimal number
 * s · 10^k. A decimal number rounds to the float64 if it lies between `lower`
 * and `upper`, the midpoints between the float64 and its neighbours. k is the
 * largest exponent for which an integer s gives such a number.
 */
#include "api/encode/real.h"

#include <stdbool.h>
#include <string.h>

#include "api/encode/powers_of_ten.h"

struct decimal {
	uint64_t digits;
	int exponent; /* the value is digits · 10^exponent */
};

static const char pairs[] = "00010203040506070809"
			    "10111213141516171819"
			    "20212223242526272829"
			    "30313233343536373839"
			    "40414243444546474849"
			    "50515253545556575859"
			    "60616263646566676869"
			    "70717273747576777879"
			    "80818283848586878889"
			    "90919293949596979899";

enum {
	FRACTION_BITS = 52,
	EXPONENT_BIAS = 1075, /* float64's bias 1023 + FRACTION_BITS */
	PLAIN_MAX = 17,	      /* a number with more digits than this before its
				 decimal point is written with an exponent */
	/* if at least this many zeros directly follow the decimal point of a
	   number below 1, the number is written with an exponent */
	ZEROS_MAX = 4,
	DIGITS_ROOM = 24, /* bytes; enough for the 20 digits of any uint64_t */
	NUMBER_SIZE = 40, /* bytes; enough for the text of any number */
};

/*
 * Returns floor(log10(2^q)), or floor(log10(3/4 · 2^q)) if `closer` is true.
 * `closer` says that the float64, c · 2^q, is closer to its lower neighbour
 * than to its upper one.
 */
static int floor_log10(int q, bool closer)
{
	return (q * 1262611 - (closer ? 524031 : 0)) >> 22;
}

/* Returns floor(log2(10^k)). */
static int floor_log2(int k)
{
	return (k * 1741647) >> 19;
}

/* Returns g · c / 2^128, rounded down, with the lowest bit set if a remainder
   of 2 · 2^64 or more was cut off. A smaller remainder counts as none, because
   g is a power of ten that was rounded up. */
static uint64_t round_to_odd(const uint64_t g[2], uint64_t c)
{
	unsigned __int128 low = (unsigned __int128)g[1] * c;
	unsigned __int128 high = (unsigned __int128)g[0] * c;

	high += (uint64_t)(low >> 64);
	return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

static struct decimal shortest(uint64_t fraction, int biased)
{
	bool closer = fraction == 0 && biased > 1;
	uint64_t c =
		biased ? fraction | UINT64_C(1) << FRACTION_BITS : fraction;
	int q = (biased ? biased : 1) - EXPONENT_BIAS;
	uint64_t odd = c & 1; /* a midpoint between two neighbours is rounded to
				 the neighbour with an even c. So if c is odd,
				 `lower` and `upper` themselves do not round to
				 the value */
	int k = floor_log10(q, closer);
	int h = q + floor_log2(-k) + 1;
	const uint64_t *g = powers_of_ten[-k - FIRST_POWER];
	uint64_t lower = round_to_odd(g, (4 * c - 2 + closer) << h) + odd;
	uint64_t middle = round_to_odd(g, (4 * c) << h);
	uint64_t upper = round_to_odd(g, (4 * c + 2) << h) - odd;
	uint64_t s = middle / 4, ten = s / 10 * 40;
	bool under, over;

	if (s >= 10) { /* try one digit less */
		under = lower <= ten;
		over = ten + 40 <= upper;
		if (under != over)
			return (struct decimal){s / 10 + over, k + 1};
	}
	under = lower <= 4 * s;
	over = 4 * s + 4 <= upper;
	if (under == over) /* if both s and s + 1 round to the value, or neither
			      does, choose the nearer one. If both are equally
			      near, choose the even one */
		over = middle > 4 * s + 2 || (middle == 4 * s + 2 && (s & 1));
	return (struct decimal){s + over, k};
}

/*
 * Write the digits of `value` so that the last digit is just before `end`.
 * Returns a pointer to the first digit.
 */
static char *digits_write(uint64_t value, char *end)
{
	while (value >= 100000000) { /* handle eight digits at a time: they fit
					a uint32_t, which is faster to compute
					with than a uint64_t */
		uint32_t low = (uint32_t)(value % 100000000);
		uint32_t high = low / 10000;

		low -= high * 10000;
		value /= 100000000;
		end -= 8;
		memcpy(end, pairs + high / 100 * 2, 2);
		memcpy(end + 2, pairs + high % 100 * 2, 2);
		memcpy(end + 4, pairs + low / 100 * 2, 2);
		memcpy(end + 6, pairs + low % 100 * 2, 2);
	}
	while (value >= 100) {
		end -= 2;
		memcpy(end, pairs + value % 100 * 2, 2);
		value /= 100;
	}
	if (value >= 10) {
		end -= 2;
		memcpy(end, pairs + value * 2, 2);
	} else {
		*--end = (char)('0' + value);
	}
	return end;
}

/* Write a number with an exponent, in the form d.ddde-07. Returns the number of
   bytes written. */
static size_t scientific_write(
	const char *digits, size_t n, int exponent, char *out)
{
	char *at = out;
	unsigned int e = (unsigned int)(exponent < 0 ? -exponent : exponent);
	char text[8];
	const char *begin;

	*at++ = *digits;
	if (n > 1) {
		*at++ = '.';
		memcpy(at, digits + 1, n - 1);
		at += n - 1;
	}
	*at++ = 'e';
	*at++ = exponent < 0 ? '-' : '+';
	if (e < 10)
		*at++ = '0';
	begin = digits_write(e, text + sizeof(text));
	memcpy(at, begin, (size_t)(text + sizeof(text) - begin));
	return (size_t)(at + (text + sizeof(text) - begin) - out);
}

static size_t decimal_write(struct decimal decimal, char *out)
{
	/*
	 * The digits end in the middle of `text`. memcpy() below always reads
	 * DIGITS_ROOM bytes, even past the last digit, because copying a fixed
	 * number of bytes is faster than copying n bytes.
	 */
	char text[2 * DIGITS_ROOM], *end = text + DIGITS_ROOM;
	const char *digits;
	size_t n;
	int point; /* number of places from the first digit to the decimal
		      point; may be negative */

	while (decimal.digits % 10 == 0) {
		decimal.digits /= 10;
		decimal.exponent++;
	}
	digits = digits_write(decimal.digits, end);
	n = (size_t)(end - digits);
	point = (int)n + decimal.exponent;
	if (point > PLAIN_MAX || point <= -ZEROS_MAX)
		return scientific_write(digits, n, point - 1, out);
	if (point <= 0) { /* the form 0.00ddd */
		memcpy(out, "0.0000", 6);
		memcpy(out + 2 - point, digits, DIGITS_ROOM);
		return 2 + (size_t)-point + n;
	}
	if ((size_t)point >= n) { /* the form ddd00 */
		memcpy(out, digits, n);
		memset(out + n, '0', (size_t)point - n);
		return (size_t)point;
	}
	memcpy(out + 1, digits, DIGITS_ROOM); /* the form d.dd */
	memmove(out, out + 1, (size_t)point);
	out[point] = '.';
	return n + 1;
}

/* Write a whole number; returns the number of bytes written. */
static size_t integer_write(int64_t value, char out[NUMBER_SIZE])
{
	char text[24], *end = text + sizeof(text);
	uint64_t magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value;
	const char *begin = digits_write(magnitude, end);
	size_t n = (size_t)(end - begin);

	*out = '-';
	memcpy(out + (value < 0), begin, n);
	return n + (value < 0);
}

static size_t real_write(double value, char out[NUMBER_SIZE])
{
	uint64_t bits;
	size_t sign;

	if (value >= -1e15 && value <= 1e15 && value == (double)(int64_t)value)
		return integer_write((int64_t)value, out);
	memcpy(&bits, &value, sizeof(bits));
	sign = bits >> 63;
	*out = '-';
	return sign +
	       decimal_write(
		       shortest(bits & ((UINT64_C(1) << FRACTION_BITS) - 1),
			       (int)(bits >> FRACTION_BITS & 0x7ff)),
		       out + sign);
}

void apsp_real_append(struct apsp_text *text, double value)
{
	char *at = apsp_text_reserve(text, NUMBER_SIZE);

	if (at)
		text->size += real_write(value, at);
}

void apsp_integer_append(struct apsp_text *text, int64_t value)
{
	char *at = apsp_text_reserve(text, NUMBER_SIZE);

	if (at)
		text->size += integer_write(value, at);
}
