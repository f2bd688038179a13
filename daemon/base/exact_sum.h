/*
 * A sum of doubles that does not depend on the order of the addends: the sum is
 * exact, and is rounded once, when it is read. A plain sum of doubles is
 * rounded after each addend, so its last bits depend on the order.
 *
 * Every finite double is a multiple of 2^-1074, so a fixed-point number of 2176
 * bits holds any sum of up to 2^64 finite doubles:
 *
 *	limbs[33] … limbs[1] limbs[0]      value = limbs · 2^-1074
 *
 * Method: Kulisch's long accumulator (Kulisch & Miranker 1986).
 */
#ifndef APSP_DAEMON_BASE_EXACT_SUM_H
#define APSP_DAEMON_BASE_EXACT_SUM_H

#include <stddef.h>
#include <stdint.h>

enum {
	APSP_EXACT_SUM_LIMBS = 34,
};

/* A sum. A new sum is all zeros. */
struct apsp_exact_sum {
	uint64_t limbs[APSP_EXACT_SUM_LIMBS];
};

/* Add a value that is finite and not negative. */
void apsp_exact_sum_add(struct apsp_exact_sum *sum, double value);

/* Return the exact sum, rounded to the nearest double, ties to even. Infinity:
   the sum is above the largest double. */
double apsp_exact_sum_value(const struct apsp_exact_sum *sum);

/* A sum of values of any sign: `above` is the sum of the positive values, and
   `below` is the sum of the absolute values of the negative values. A new sum
   is all zeros. */
struct apsp_signed_sum {
	struct apsp_exact_sum above, below;
};

/* Add a finite value. */
void apsp_signed_sum_add(struct apsp_signed_sum *sum, double value);

/* Return the exact sum, rounded to the nearest double. Infinity: the absolute
   value of the sum is above the largest double. */
double apsp_signed_sum_value(const struct apsp_signed_sum *sum);

/* Store a + b as *high + *low (Knuth's TwoSum). The sum is exact if *high is
   finite. */
static inline void apsp_two_sum(double a, double b, double *high, double *low)
{
	double sum = a + b, part = sum - a;

	*low = (a - (sum - part)) + (b - part);
	*high = sum;
}

/* Return the sum of n finite values of any sign, as apsp_signed_sum_value()
   does. */
double apsp_exact_sum_of(const double *values, size_t n);

#endif
