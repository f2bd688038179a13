/*
 * Weights: what one adds to what is known, and the least room that lengths of
 * them take.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "daemon/job/arc_facts.h"

enum {
	FRACTION = APSP_ARC_FRACTION,
	NEGATIVE = APSP_ARC_NEGATIVE,
	INVERSE = APSP_ARC_INVERSE_FRACTION,
	NOT_ONE = APSP_ARC_NOT_ONE,
	ABOVE = APSP_ARC_ABOVE_ONE,
	HUBS = APSP_ARC_HUBS,
	FROM_TWO = APSP_ARC_FROM_TWO,
};

static void test_of(void **state)
{
	static const struct {
		double weight;
		unsigned int expected;
	} cases[] = {
		{1, 0},
		{0, NOT_ONE},
		{7, NOT_ONE | INVERSE | ABOVE | FROM_TWO << 1},
		{0.5, NOT_ONE | FRACTION},
		{0.1, NOT_ONE | FRACTION},
		{0.3, NOT_ONE | FRACTION | INVERSE},
		{1.5, NOT_ONE | FRACTION | INVERSE | ABOVE},
		{1.99, NOT_ONE | FRACTION | INVERSE | ABOVE},
		{2, NOT_ONE | INVERSE | ABOVE | FROM_TWO},
		{-2, NOT_ONE | NEGATIVE | FROM_TWO},
		{100, NOT_ONE | INVERSE | ABOVE | FROM_TWO << 5},
		{-0.5, NOT_ONE | NEGATIVE | FRACTION},
		{1e300, NOT_ONE | INVERSE | ABOVE |
				FROM_TWO << (APSP_ARC_SIZES - 1)},
		/* its inverse is infinite, and no length */
		{4e-320, NOT_ONE | FRACTION},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (apsp_arc_facts_of_weight(cases[i].weight) !=
			cases[i].expected)
			fail_msg("%g adds %u", cases[i].weight,
				apsp_arc_facts_of_weight(cases[i].weight));
}

/* Of four vertices with ten arcs, hubs have 100 or more as sum of squares. */
static void test_of_degrees(void **state)
{
	(void)state;
	assert_int_equal(apsp_arc_facts_of_degrees(4, 10, 100), HUBS);
	assert_int_equal(apsp_arc_facts_of_degrees(4, 10, 99), 0);
	assert_int_equal(apsp_arc_facts_of_degrees(4, 0, 0), 0);
	/* each arc of the largest upload begins at one vertex */
	assert_int_equal(
		apsp_arc_facts_of_degrees(1 << 20, 1U << 31, 0x1p62), HUBS);
	assert_true(apsp_arc_facts_largest(HUBS) == 0);
}

/* The largest weight, up to twice. */
static void test_most(void **state)
{
	(void)state;
	assert_true(apsp_arc_facts_largest(0) == 0);
	assert_true(apsp_arc_facts_largest(apsp_arc_facts_of_weight(1.5)) == 0);
	assert_true(apsp_arc_facts_largest(apsp_arc_facts_of_weight(2)) == 4);
	assert_true(apsp_arc_facts_largest(apsp_arc_facts_of_weight(-100) |
					   apsp_arc_facts_of_weight(7)) == 128);
	assert_true(apsp_arc_facts_largest(apsp_arc_facts_of_weight(1e6)) ==
		    1048576);
	assert_true(apsp_arc_facts_largest(apsp_arc_facts_of_weight(1e300)) ==
		    8388608);
}

static void expect(unsigned int weights, enum apsp_transform transform,
	enum apsp_element expected)
{
	struct apsp_profile rule = {.transform = transform};

	assert_int_equal(apsp_arc_facts_element(weights, &rule), expected);
	rule.precision = APSP_PRECISION_FLOAT64;
	assert_int_equal(apsp_arc_facts_element(weights, &rule),
		expected == APSP_ELEMENT_F32 ? APSP_ELEMENT_F64 : expected);
}

static void test_least(void **state)
{
	const unsigned int all = FRACTION | NEGATIVE | INVERSE | NOT_ONE;

	(void)state;
	for (int t = APSP_TRANSFORM_NONE; t <= APSP_TRANSFORM_LOGNORM; t++)
		expect(0, (enum apsp_transform)t, APSP_ELEMENT_U16);
	expect(all, APSP_TRANSFORM_HOPS, APSP_ELEMENT_U16);
	expect(NOT_ONE | INVERSE, APSP_TRANSFORM_NONE, APSP_ELEMENT_U16);
	expect(NOT_ONE | NEGATIVE, APSP_TRANSFORM_NONE, APSP_ELEMENT_I32);
	expect(NOT_ONE | FRACTION, APSP_TRANSFORM_NONE, APSP_ELEMENT_F32);
	expect(all, APSP_TRANSFORM_NONE, APSP_ELEMENT_F32);
	expect(NOT_ONE | INVERSE, APSP_TRANSFORM_INV, APSP_ELEMENT_F32);
	expect(NOT_ONE | FRACTION, APSP_TRANSFORM_INV, APSP_ELEMENT_U16);
	expect(NOT_ONE | FRACTION, APSP_TRANSFORM_LOG, APSP_ELEMENT_F32);
	expect(NOT_ONE, APSP_TRANSFORM_LOGNORM, APSP_ELEMENT_F32);
}

/* Refused at once is what must fail, and nothing else. */
static void test_check(void **state)
{
	struct apsp_profile rule = {.transform = APSP_TRANSFORM_LOG};
	const unsigned int counts = apsp_arc_facts_of_weight(8);
	struct apsp_err err = {0};

	(void)state;
	assert_int_equal(rule.duplicates, APSP_DUPLICATES_SUM);
	assert_int_equal(apsp_arc_facts_check(counts, &rule, &err), APSP_EDATA);
	assert_non_null(strstr(err.message, "lognorm takes counts"));
	assert_int_equal(apsp_arc_facts_check(
				 apsp_arc_facts_of_weight(0.5), &rule, &err),
		0);
	assert_int_equal(apsp_arc_facts_check(0, &rule, &err), 0);
	assert_int_equal(
		apsp_arc_facts_check(counts | NEGATIVE, &rule, &err), 0);
	assert_int_equal(
		apsp_arc_facts_check(APSP_ARC_SUM_ABOVE_ONE, &rule, &err),
		APSP_EDATA);
	assert_non_null(strstr(err.message, "duplicates=sum"));
	assert_non_null(strstr(err.message, "lognorm takes counts"));
	assert_int_equal(apsp_arc_facts_check(APSP_ARC_SUM_ABOVE_ONE | NEGATIVE,
				 &rule, &err),
		0);
	rule.has_min_weight = true;
	rule.min_weight = 1;
	assert_int_equal(apsp_arc_facts_check(counts, &rule, &err), APSP_EDATA);
	rule.min_weight = 1.5;
	assert_int_equal(apsp_arc_facts_check(counts, &rule, &err), 0);
	rule.has_min_weight = false;
	rule.duplicates = APSP_DUPLICATES_ERROR;
	assert_int_equal(
		apsp_arc_facts_check(APSP_ARC_SUM_ABOVE_ONE, &rule, &err), 0);
	rule.duplicates = APSP_DUPLICATES_MIN;
	assert_int_equal(apsp_arc_facts_check(counts, &rule, &err), 0);
	rule.duplicates = APSP_DUPLICATES_MAX;
	assert_int_equal(apsp_arc_facts_check(counts | NEGATIVE, &rule, &err),
		APSP_EDATA);
	rule.invalid = APSP_INVALID_DROP;
	assert_int_equal(apsp_arc_facts_check(counts, &rule, &err), 0);
	rule.invalid = APSP_INVALID_REFUSE;
	/* shares are at most 1, and only negative weights have none */
	rule.normalise = APSP_NORMALISE_INPUT;
	assert_int_equal(apsp_arc_facts_check(counts, &rule, &err), 0);
	assert_int_equal(
		apsp_arc_facts_check(counts | NEGATIVE, &rule, &err), 0);
	rule.duplicates = APSP_DUPLICATES_ERROR;
	assert_int_equal(apsp_arc_facts_check(counts | NEGATIVE, &rule, &err),
		APSP_EDATA);
	assert_non_null(strstr(err.message, "below 0"));
	rule.invalid = APSP_INVALID_DROP;
	assert_int_equal(
		apsp_arc_facts_check(counts | NEGATIVE, &rule, &err), 0);
	rule.invalid = APSP_INVALID_REFUSE;
	rule.normalise = APSP_NORMALISE_NONE;
	rule.transform = APSP_TRANSFORM_LOGNORM;
	assert_int_equal(apsp_arc_facts_check(counts, &rule, &err), 0);
}

/* Who knows which arcs are left? */
static void test_dropped(void **state)
{
	struct apsp_profile rule = {.transform = APSP_TRANSFORM_NONE,
		.has_min_weight = true,
		.min_weight = 1};

	(void)state;
	assert_int_equal(apsp_arc_facts_element(NOT_ONE | FRACTION, &rule),
		APSP_ELEMENT_U16);
	rule.transform = APSP_TRANSFORM_INV;
	assert_int_equal(apsp_arc_facts_element(NOT_ONE | INVERSE, &rule),
		APSP_ELEMENT_U16);
	/* each that is left is above 1, and its length below */
	rule.min_weight = 5;
	assert_int_equal(apsp_arc_facts_element(0, &rule), APSP_ELEMENT_F32);
	rule.has_min_weight = false;
	rule.invalid = APSP_INVALID_DROP;
	assert_int_equal(apsp_arc_facts_element(NOT_ONE | INVERSE, &rule),
		APSP_ELEMENT_U16);
	/* each share may be 1 */
	rule.invalid = APSP_INVALID_REFUSE;
	rule.normalise = APSP_NORMALISE_OUTPUT;
	assert_int_equal(apsp_arc_facts_element(NOT_ONE | INVERSE, &rule),
		APSP_ELEMENT_U16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_of),
		cmocka_unit_test(test_of_degrees),
		cmocka_unit_test(test_most),
		cmocka_unit_test(test_least),
		cmocka_unit_test(test_check),
		cmocka_unit_test(test_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
