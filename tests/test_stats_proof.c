/*
 * Statistics held against each other: what belongs to no distances is found, by
 * the last unit where distances are whole, and rounding is not.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "compute/statistics/stats_proof.h"

enum {
	N = 2,
	N_STATS = APSP_STAT_FARTHEST_IN + 1,
	LONG = 5000000, /* more of it in a sum than the slack of 2^30 sees */
};

/* Two vertices, LONG · LONG away from each other. */
struct two {
	struct apsp_stat_form form;
	struct apsp_histogram histograms[2];
	struct apsp_stats_proof proof;
	double vertices[N_STATS * N];
};

static void two_make(struct two *two, enum apsp_distance_kind kind)
{
	const double each = (double)LONG * LONG;

	memset(two, 0, sizeof(*two));
	two->form.kind = kind;
	for (int v = 0; v < N; v++) {
		for (int in = 0; in < 2; in++) {
			double *at = two->vertices + v;

			at[(APSP_STAT_REACHES + in) * N] = 1;
			at[(APSP_STAT_DISTANCE_OUT + in) * N] = each;
			at[(APSP_STAT_HARMONIC_OUT + in) * N] = 1 / each;
			at[(APSP_STAT_FARTHEST_OUT + in) * N] = each;
		}
	}
	for (int h = 0; h < 2; h++) {
		two->histograms[h].width = 0x1p40;
		two->histograms[h].counts[h == 0 ? (int)(each / 0x1p40) : 0] =
			2;
	}
	two->proof = (struct apsp_stats_proof){.form = &two->form,
		.vertices = two->vertices,
		.n_vertices = N,
		.n_pairs = 2,
		.histograms = two->histograms,
		.hops = 2};
}

static int judge(const struct two *two)
{
	struct apsp_err err = {0};

	return apsp_stats_proof_run(&two->proof, &err);
}

static void test_right(void **state)
{
	struct two two;

	(void)state;
	for (int kind = 0; kind <= APSP_DISTANCE_SUM; kind++) {
		two_make(&two, (enum apsp_distance_kind)kind);
		assert_int_equal(judge(&two), 0);
	}
}

/* One unit in 10^13 is no rounding of whole numbers, and may be one of others.
 */
static void test_one_unit(void **state)
{
	struct two two;

	(void)state;
	two_make(&two, APSP_DISTANCE_SCALED);
	two.vertices[APSP_STAT_DISTANCE_IN * N] += 1;
	assert_int_equal(judge(&two), APSP_EPROOF);
	two.form.kind = APSP_DISTANCE_HOPS;
	assert_int_equal(judge(&two), APSP_EPROOF);
	two.form.kind = APSP_DISTANCE_SUM;
	assert_int_equal(judge(&two), 0);
}

/* Past 2^53 whole numbers round as well. */
static void test_past_doubles(void **state)
{
	struct two two;

	(void)state;
	two_make(&two, APSP_DISTANCE_SCALED);
	for (int v = 0; v < N; v++) {
		two.vertices[APSP_STAT_DISTANCE_OUT * N + v] = 0x1p53;
		two.vertices[APSP_STAT_DISTANCE_IN * N + v] = 0x1p53;
	}
	two.vertices[APSP_STAT_DISTANCE_IN * N] += 4;
	two.histograms[0] =
		(struct apsp_histogram){.width = 0x1p50, .counts = {[8] = 2}};
	assert_int_equal(judge(&two), 0);
}

/* An infinite sum is none of finite numbers, and may be on both sides. A sum
   that is past the largest double by its rounding is finite in another order.
 */
static void test_infinite(void **state)
{
	struct two two;

	(void)state;
	two_make(&two, APSP_DISTANCE_SUM);
	two.vertices[APSP_STAT_HARMONIC_OUT * N] = INFINITY;
	assert_int_equal(judge(&two), APSP_EPROOF);
	two.vertices[APSP_STAT_HARMONIC_IN * N + 1] = INFINITY;
	assert_int_equal(judge(&two), 0);
	two.vertices[APSP_STAT_DISTANCE_IN * N] = NAN;
	assert_int_equal(judge(&two), APSP_EPROOF);
	two.vertices[APSP_STAT_DISTANCE_IN * N] = DBL_MAX;
	assert_int_equal(judge(&two), APSP_EPROOF);
	two.vertices[APSP_STAT_DISTANCE_OUT * N] = DBL_MAX;
	two.vertices[APSP_STAT_DISTANCE_OUT * N + 1] = 0x1p970;
	assert_int_equal(judge(&two), 0);
}

/* Each number of a vertex by itself. */
static void test_each(void **state)
{
	struct two two;

	(void)state;
	for (int stat = 0; stat < N_STATS; stat++) {
		two_make(&two, APSP_DISTANCE_SUM);
		two.vertices[stat * N + 1] *= 1.5;
		assert_int_equal(judge(&two), APSP_EPROOF);
	}
	two_make(&two, APSP_DISTANCE_SUM);
	two.proof.n_pairs = 3;
	assert_int_equal(judge(&two), APSP_EPROOF);
}

/* Negative distances may cancel each other, so real sums are not compared. */
static void test_below(void **state)
{
	struct two two;

	(void)state;
	two_make(&two, APSP_DISTANCE_SUM);
	two.form.below = true;
	two.vertices[APSP_STAT_DISTANCE_IN * N] *= 2;
	assert_int_equal(judge(&two), 0);
	two.vertices[APSP_STAT_FARTHEST_IN * N] *= 2;
	assert_int_equal(judge(&two), APSP_EPROOF);
}

/* One distance of 3 and one of -3, in bins of width 1. */
static void negative_make(struct two *two)
{
	two_make(two, APSP_DISTANCE_SCALED);
	two->form.below = true;
	for (int v = 0; v < N; v++)
		for (int in = 0; in < 2; in++) {
			double *at = two->vertices + v;
			double d = v == in ? 3 : -3;

			at[(APSP_STAT_DISTANCE_OUT + in) * N] = d;
			at[(APSP_STAT_HARMONIC_OUT + in) * N] = 1 / d;
			at[(APSP_STAT_FARTHEST_OUT + in) * N] = d;
		}
	two->histograms[0] = (struct apsp_histogram){.width = 1, .first = -4};
	two->histograms[0].counts[1] = two->histograms[0].counts[7] = 1;
}

/* If no addition of whole distances rounds, their sums are compared, although
   negative distances cancel others. */
static void test_below_whole(void **state)
{
	struct two two;

	(void)state;
	negative_make(&two);
	assert_int_equal(judge(&two), 0);
	for (int in = 0; in < 2; in++) {
		negative_make(&two);
		two.vertices[(APSP_STAT_DISTANCE_OUT + in) * N]++;
		assert_int_equal(judge(&two), APSP_EPROOF);
	}
	negative_make(&two);
	two.histograms[0].counts[7] = 0;
	two.histograms[0].counts[8] = 1;
	assert_int_equal(judge(&two), APSP_EPROOF);
	/* additions of larger distances may round */
	negative_make(&two);
	two.vertices[APSP_STAT_DISTANCE_IN * N]++;
	two.histograms[0].width = 0x1p51;
	assert_int_equal(judge(&two), 0);
}

static void test_histograms(void **state)
{
	struct two two;

	(void)state;
	for (int h = 0; h < 2; h++) {
		/* one more, one in another bin */
		two_make(&two, APSP_DISTANCE_SCALED);
		two.histograms[h].counts[1]++;
		assert_int_equal(judge(&two), APSP_EPROOF);
		two_make(&two, APSP_DISTANCE_SCALED);
		two.histograms[h].first += 9;
		assert_int_equal(judge(&two), APSP_EPROOF);
	}
	two_make(&two, APSP_DISTANCE_SCALED);
	two.histograms[1].width = 1;
	two.histograms[1].first = 1;
	two.proof.hops = 3;
	assert_int_equal(judge(&two), APSP_EPROOF);
	two.proof.hops = -1; /* not counted */
	assert_int_equal(judge(&two), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_right),
		cmocka_unit_test(test_one_unit),
		cmocka_unit_test(test_past_doubles),
		cmocka_unit_test(test_infinite),
		cmocka_unit_test(test_each),
		cmocka_unit_test(test_below),
		cmocka_unit_test(test_below_whole),
		cmocka_unit_test(test_histograms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
