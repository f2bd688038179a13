/*
 * A sum of doubles that does not depend on their order: the sum is exact, and
 * is rounded once, when it is read. Plain sums of doubles round after each
 * addend, so their last bits depend on the order of the addends.
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

/* Return the exact difference a - b, rounded to the nearest double. If a sum
   has negative addends, add the positive addends to `a`, and the absolute
   values of the negative addends to `b`. */
double apsp_exact_sum_difference(
	const struct apsp_exact_sum *a, const struct apsp_exact_sum *b);

/* Store a + b as *high + *low (Knuth's TwoSum). The sum is exact if *high is
   finite. */
static inline void apsp_two_sum(double a, double b, double *high, double *low)
{
	double sum = a + b, part = sum - a;

	*low = (a - (sum - part)) + (b - part);
	*high = sum;
}

/* Return the exact sum of n finite values of any sign, rounded to the nearest
   double. Infinity: the absolute value of the sum is above the largest
   double. */
double apsp_exact_sum_of(const double *values, size_t n);

#endif
