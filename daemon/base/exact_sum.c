/*
 * Exact sums; see exact_sum.h.
 */
#include "daemon/base/exact_sum.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "daemon/base/bit_set.h"

enum {
	FRACTION_BITS = 52, /* stored bits of a double's significand */
	LOWEST = -1074,	    /* exponent of the lowest bit of limbs[0] */
};

void apsp_exact_sum_add(struct apsp_exact_sum *sum, double value)
{
	uint64_t bits, digits, carry;
	unsigned int exponent, shift, limb;
	unsigned __int128 shifted;

	assert(isfinite(value) && value >= 0);
	value += 0.0; /* turn -0 into 0, because the sign bit of -0 would count
			 as a bit of the exponent */
	memcpy(&bits, &value, sizeof(bits));
	exponent = (unsigned int)(bits >> FRACTION_BITS);
	digits = bits & ((UINT64_C(1) << FRACTION_BITS) - 1);
	/* A normal number has a leading 1 that is not stored. A subnormal
	   number has no leading 1; its stored exponent is 0, but means the same
	   as 1. */
	if (exponent > 0) {
		digits |= UINT64_C(1) << FRACTION_BITS;
		exponent--;
	}
	limb = exponent / 64;
	shift = exponent % 64;
	shifted = (unsigned __int128)digits << shift;
	carry = __builtin_add_overflow(
		sum->limbs[limb], (uint64_t)shifted, &sum->limbs[limb]);
	/* this addition cannot overflow, because the upper half of `shifted` is
	   less than 2^53 */
	carry += (uint64_t)(shifted >> 64);
	for (limb++; carry > 0 && limb < APSP_EXACT_SUM_LIMBS; limb++)
		carry = __builtin_add_overflow(
			sum->limbs[limb], carry, &sum->limbs[limb]);
}

/* Return whether any bit below bit number `at` is set. */
static bool any_below(const struct apsp_exact_sum *sum, int at)
{
	for (int limb = 0; limb < at / 64; limb++)
		if (sum->limbs[limb])
			return true;
	return sum->limbs[at / 64] & ((UINT64_C(1) << at % 64) - 1);
}

double apsp_exact_sum_value(const struct apsp_exact_sum *sum)
{
	int limb = APSP_EXACT_SUM_LIMBS - 1, top, low;
	uint64_t digits;

	while (limb > 0 && sum->limbs[limb] == 0)
		limb--;
	if (sum->limbs[limb] == 0)
		return 0;
	top = 64 * limb + 63 - __builtin_clzll(sum->limbs[limb]);
	low = top - FRACTION_BITS;
	if (low <= 0) /* the sum has at most 53 binary digits, so a double holds
			 it exactly */
		return ldexp((double)sum->limbs[0], LOWEST);
	digits = sum->limbs[low / 64] >> low % 64;
	if (low % 64 > 0 && low / 64 + 1 < APSP_EXACT_SUM_LIMBS)
		digits |= sum->limbs[low / 64 + 1] << (64 - low % 64);
	digits &= (UINT64_C(1) << (FRACTION_BITS + 1)) - 1;
	/* `digits` has the highest 53 bits of the sum. Round it up if the lower
	   bits of the sum are worth more than half of the last bit of `digits`.
	   If they are worth exactly half of it, make this last bit even. */
	if (apsp_bit_set_has(sum->limbs, (uint64_t)low - 1) &&
		(any_below(sum, low - 1) || digits & 1))
		digits++;
	return ldexp((double)digits, low + LOWEST);
}

/* Return the exact difference a - b, rounded to the nearest double. */
static double difference_of(
	const struct apsp_exact_sum *a, const struct apsp_exact_sum *b)
{
	struct apsp_exact_sum difference;
	int limb = APSP_EXACT_SUM_LIMBS - 1;
	uint64_t borrow = 0;

	while (limb > 0 && a->limbs[limb] == b->limbs[limb])
		limb--;
	if (a->limbs[limb] < b->limbs[limb])
		return -difference_of(b, a);
	for (int i = 0; i < APSP_EXACT_SUM_LIMBS; i++) {
		uint64_t lent = __builtin_sub_overflow(
			a->limbs[i], b->limbs[i], &difference.limbs[i]);

		borrow = lent | __builtin_sub_overflow(difference.limbs[i],
					borrow, &difference.limbs[i]);
	}
	return apsp_exact_sum_value(&difference);
}

void apsp_signed_sum_add(struct apsp_signed_sum *sum, double value)
{
	apsp_exact_sum_add(value < 0 ? &sum->below : &sum->above, fabs(value));
}

double apsp_signed_sum_value(const struct apsp_signed_sum *sum)
{
	return difference_of(&sum->above, &sum->below);
}

double apsp_exact_sum_of(const double *values, size_t n)
{
	struct apsp_signed_sum sum = {0};
	double high = 0, low = 0, part, rest = 0;

	/* Two doubles, `high` and `low`, hold nearly every sum exactly. Adding
	   to them is much faster than adding to a struct apsp_signed_sum. The
	   loop ends if `rest` is not 0: then the two doubles cannot hold the
	   sum, or the sum has overflowed and `rest` is NaN. */
	for (size_t i = 0; i < n && rest == 0; i++) {
		apsp_two_sum(high, values[i], &high, &part);
		apsp_two_sum(low, part, &low, &rest);
	}
	if (rest == 0)
		return high + low;
	for (size_t i = 0; i < n; i++)
		apsp_signed_sum_add(&sum, values[i]);
	return apsp_signed_sum_value(&sum);
}
