/*
 * Exact sums against Shewchuk's growing expansions, as Python's math.fsum has
 * them, and against sums that are known.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/base/exact_sum.h"
#include "tests/random.h"

enum {
	MOST = 200,
};

/* The sum of n addends, rounded once (Shewchuk 1997; the last step is that of
   Python's math.fsum). */
static double expansion_sum(const double *values, size_t n)
{
	volatile double parts[MOST], high, low, rest;
	double x, y;
	size_t used = 0, kept;

	for (size_t i = 0; i < n; i++) {
		x = values[i];
		kept = 0;
		for (size_t j = 0; j < used; j++) {
			y = parts[j];
			if (fabs(x) < fabs(y)) {
				double held = x;

				x = y;
				y = held;
			}
			high = x + y;
			rest = high - x;
			low = y - rest;
			if (low != 0)
				parts[kept++] = low;
			x = high;
		}
		parts[kept++] = x;
		used = kept;
	}
	if (used == 0)
		return 0;
	high = parts[--used];
	low = 0;
	while (used > 0 && low == 0) {
		x = high;
		y = parts[--used];
		high = x + y;
		rest = high - x;
		low = y - rest;
	}
	if (used > 0 && ((low < 0 && parts[used - 1] < 0) ||
				(low > 0 && parts[used - 1] > 0))) {
		y = low * 2;
		x = high + y;
		rest = x - high;
		if (y == rest)
			high = x;
	}
	return high;
}

static double exact_sum(const double *values, size_t n)
{
	struct apsp_exact_sum sum = {0};

	for (size_t i = 0; i < n; i++)
		apsp_exact_sum_add(&sum, values[i]);
	return apsp_exact_sum_value(&sum);
}

static void shuffle(double *values, size_t n, uint64_t *seed)
{
	for (size_t i = n; i > 1; i--) {
		size_t j = random_below(seed, (uint32_t)i);
		double held = values[i - 1];

		values[i - 1] = values[j];
		values[j] = held;
	}
}

static void test_random(void **state)
{
	uint64_t seed = 1986;
	unsigned plain_differs = 0;

	(void)state;
	for (unsigned round = 0; round < 20000; round++) {
		double values[MOST], plain = 0, right;
		size_t n = random_below(&seed, MOST + 1);
		/* exponents that are near, far apart, subnormal or large */
		int spread = 1 << random_below(&seed, 11);
		int least = (int)random_below(&seed, 2030 - (uint32_t)spread) -
			    1075;

		for (size_t i = 0; i < n; i++)
			values[i] = ldexp(random_unit(&seed),
				least + (int)random_below(
						&seed, (uint32_t)spread));
		right = expansion_sum(values, n);
		assert_true(exact_sum(values, n) == right);
		for (size_t i = 0; i < n; i++)
			plain += values[i];
		plain_differs += plain != right;
		shuffle(values, n, &seed);
		assert_true(exact_sum(values, n) == right);
		for (size_t i = 0; i < n; i++)
			if (random_below(&seed, 2))
				values[i] = -values[i];
		assert_true(apsp_exact_sum_of(values, n) ==
			    expansion_sum(values, n));
	}
	/* otherwise the test proves little */
	assert_true(plain_differs > 5000);
}

static void test_known(void **state)
{
	const double half = ldexp(1, -53), tiny = ldexp(1, -1074);

	(void)state;
	assert_true(exact_sum(NULL, 0) == 0);
	assert_true(exact_sum((double[]){0, -0.0}, 2) == 0);
	assert_false(signbit(exact_sum((double[]){-0.0}, 1)));
	assert_true(exact_sum((double[]){0.1}, 1) == 0.1);
	assert_true(exact_sum((double[]){tiny}, 1) == tiny);
	assert_true(exact_sum((double[]){tiny, tiny, tiny}, 3) == 3 * tiny);
	assert_true(exact_sum((double[]){DBL_MIN, tiny}, 2) == DBL_MIN + tiny);
	/* half of the last digit: to the even neighbour, unless more follows */
	assert_true(exact_sum((double[]){1, half}, 2) == 1);
	assert_true(exact_sum((double[]){1, half, tiny}, 3) == 1 + 2 * half);
	assert_true(
		exact_sum((double[]){1 + 2 * half, half}, 2) == 1 + 4 * half);
	/* rounding up carries into a new digit */
	assert_true(exact_sum((double[]){2 - 2 * half, half}, 2) == 2);
	assert_true(exact_sum((double[]){DBL_MAX}, 1) == DBL_MAX);
	assert_true(isinf(exact_sum((double[]){DBL_MAX, DBL_MAX}, 2)));
	assert_true(exact_sum((double[]){DBL_MAX, 1}, 2) == DBL_MAX);
}

/* A carry that runs through many limbs. */
static void test_carry(void **state)
{
	struct apsp_exact_sum sum = {0};

	(void)state;
	for (int limb = 0; limb < 30; limb++)
		sum.limbs[limb] = UINT64_MAX;
	apsp_exact_sum_add(&sum, ldexp(1, -1074));
	for (int limb = 0; limb < APSP_EXACT_SUM_LIMBS; limb++)
		assert_true(sum.limbs[limb] == (limb == 30));
	assert_true(apsp_exact_sum_value(&sum) == ldexp(1, 30 * 64 - 1074));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_carry),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
