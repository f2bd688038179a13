/*
 * Numbers in text: the grammar, correct rounding, no influence of the locale;
 * and sizes in bytes as text.
 */
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/base/number.h"
#include "daemon/base/size.h"

static void test_kinds(void **state)
{
	static const struct {
		const char *text;
		enum apsp_number kind;
		double value;
	} cases[] = {
		{"9.0", APSP_NUMBER_FINITE, 9},
		{"1e-3", APSP_NUMBER_FINITE, 1e-3},
		{"+5", APSP_NUMBER_FINITE, 5},
		{"-.5E+1", APSP_NUMBER_FINITE, -5},
		{"7.", APSP_NUMBER_FINITE, 7},
		{"000000000000000000000000012", APSP_NUMBER_FINITE, 12},
		{"0e999999999", APSP_NUMBER_FINITE, 0},
		{"9007199254740993", APSP_NUMBER_FINITE, 9007199254740992.0},
		{"123456789012345678901234567890", APSP_NUMBER_FINITE,
			123456789012345678901234567890.0},
		{"2.2250738585072011e-308", APSP_NUMBER_FINITE,
			2.2250738585072011e-308},
		{"inf", APSP_NUMBER_INFINITE, INFINITY},
		{"-Infinity", APSP_NUMBER_INFINITE, -INFINITY},
		{"NaN", APSP_NUMBER_NAN, 0},
		{"1e999", APSP_NUMBER_RANGE, 0},
		{"1e-999", APSP_NUMBER_RANGE, 0},
		{"", APSP_NUMBER_NONE, 0},
		{"-", APSP_NUMBER_NONE, 0},
		{".", APSP_NUMBER_NONE, 0},
		{"1e", APSP_NUMBER_NONE, 0},
		{"1e+", APSP_NUMBER_NONE, 0},
		{"1,5", APSP_NUMBER_NONE, 0},
		{"0x10", APSP_NUMBER_NONE, 0},
		{"1 ", APSP_NUMBER_NONE, 0},
		{"1.2.3", APSP_NUMBER_NONE, 0},
		{"infinit", APSP_NUMBER_NONE, 0},
	};
	double value;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *text = cases[i].text;

		value = 0;
		if (apsp_number_parse(text, strlen(text), &value) !=
				cases[i].kind ||
			value != cases[i].value)
			fail_msg("'%s' gave %.17g", text, value);
	}
}

/* Against the C library, which rounds correctly. */
static void test_rounding(void **state)
{
	uint64_t seed = 12345;
	char text[64];
	double value;

	(void)state;
	for (int i = 0; i < 200000; i++) {
		uint64_t mantissa;
		int digits, exponent;

		seed = seed * UINT64_C(6364136223846793005) +
		       1442695040888963407;
		mantissa = seed >> (seed >> 58);
		digits = (int)(seed >> 20) & 15;
		exponent = (int)(seed >> 33) % 50 - 25;
		snprintf(text, sizeof(text), "%llu.%0*de%d",
			(unsigned long long)mantissa, digits, i, exponent);
		assert_int_equal(apsp_number_parse(text, strlen(text), &value),
			APSP_NUMBER_FINITE);
		if (value != strtod(text, NULL))
			fail_msg("'%s' gave %.17g", text, value);
		apsp_number_format(value, text);
		assert_true(strtod(text, NULL) == value);
	}
}

static void test_text(void **state)
{
	char text[APSP_NUMBER_TEXT_SIZE];

	(void)state;
	/* takes effect where the locale is installed; harmless elsewhere */
	setlocale(LC_ALL, "de_DE.UTF-8");
	apsp_number_format(0.5, text);
	assert_string_equal(text, "0.5");
	apsp_number_format(-1.7976931348623157e308, text);
	assert_string_equal(text, "-1.7976931348623157e+308");
	setlocale(LC_ALL, "C");
}

static void test_counts(void **state)
{
	static const char *const wrong[] = {"", " 1", "+1", "-1", "1 ", "0x1",
		"1.0", "256", "18446744073709551616"};
	uint64_t count;

	(void)state;
	assert_true(apsp_number_parse_count("0", 255, &count));
	assert_int_equal(count, 0);
	assert_true(apsp_number_parse_count("255", 255, &count));
	assert_int_equal(count, 255);
	assert_true(apsp_number_parse_count(
		"18446744073709551615", UINT64_MAX, &count));
	assert_true(count == UINT64_MAX);
	assert_false(apsp_number_parse_count(
		"18446744073709551616", UINT64_MAX, &count));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_false(apsp_number_parse_count(wrong[i], 255, &count));
}

/* Sizes have three digits and the unit that fits them. */
static void test_sizes(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} cases[] = {
		{500, "0.5 kB"},
		{69700000, "69.7 MB"},
		{999499, "999 kB"},
		{999500, "1 MB"},
		{999999999, "1 GB"},
		{UINT64_C(2500000000000), "2.5 TB"},
		{UINT64_MAX - 1, "18.4 EB"},
		{UINT64_MAX, "more than 2^64 bytes"},
	};
	char text[APSP_SIZE_TEXT_SIZE], other[APSP_SIZE_TEXT_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		apsp_size_format(cases[i].bytes, text);
		assert_string_equal(text, cases[i].text);
	}
	apsp_sizes_format(35000000001, 35000000000, text, other);
	assert_string_equal(text, "35000000001 bytes");
	assert_string_equal(other, "35000000000 bytes");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_rounding),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
