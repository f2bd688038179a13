/*
 * Profiles: parsing with defaults, refusals, the canonical text and back.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/base/profile.h"

static void test_defaults(void **state)
{
	struct apsp_profile_texts texts = {0};
	struct apsp_profile profile;
	char text[APSP_PROFILE_TEXT_SIZE];

	(void)state;
	assert_int_equal(apsp_profile_parse(&texts, &profile, NULL), 0);
	apsp_profile_format(&profile, text);
	assert_string_equal(text, "transform=none duplicates=min invalid=error "
				  "precision=float32");

	for (int t = APSP_TRANSFORM_HOPS; t <= APSP_TRANSFORM_LOGNORM; t++) {
		texts.transform = apsp_transform_name((enum apsp_transform)t);
		assert_int_equal(apsp_profile_parse(&texts, &profile, NULL), 0);
		assert_int_equal(profile.transform, t);
		assert_int_equal(profile.duplicates, APSP_DUPLICATES_SUM);
	}
	assert_null(apsp_transform_name((enum apsp_transform)5));
}

static void test_round_trip(void **state)
{
	const struct apsp_profile_texts texts = {.transform = "inv",
		.duplicates = "last",
		.invalid = "drop",
		.precision = "float64",
		.min_weight = "0.1",
		.algorithm = "blocked-fw"};
	struct apsp_profile profile, again;
	char text[APSP_PROFILE_TEXT_SIZE];

	(void)state;
	assert_int_equal(apsp_profile_parse(&texts, &profile, NULL), 0);
	apsp_profile_format(&profile, text);
	assert_string_equal(text,
		"transform=inv duplicates=last invalid=drop precision=float64 "
		"min_weight=0.10000000000000001 algorithm=blocked-fw");
	assert_int_equal(apsp_profile_scan(text, &again, NULL), 0);
	assert_memory_equal(&profile, &again, sizeof(profile));
}

static void test_refusals(void **state)
{
	static const struct {
		struct apsp_profile_texts texts;
		const char *fragment;
	} cases[] = {
		{{.transform = "sqrt"}, "'sqrt', expected one of none, hops"},
		{{.duplicates = ""}, "duplicates is ''"},
		{{.invalid = "keep"}, "expected one of error, drop"},
		{{.precision = "half"}, "precision is 'half'"},
		{{.min_weight = "inf"}, "min_weight is 'inf'"},
		{{.min_weight = "5x"}, "expected a finite number"},
		{{.algorithm = "a b"}, "algorithm is 'a b'"},
		{{.algorithm = "a-name-that-is-much-too-long-for-us"}, "31"},
	};
	static const char *const texts[] = {"", "transform=none",
		"transform=none duplicates=min invalid=error "
		"precision=float32 ",
		"duplicates=min transform=none invalid=error "
		"precision=float32",
		"transform=none duplicates=min invalid=error precision=float32 "
		"min_weight=0.1",
		"transform=none duplicates=min invalid=error precision=float32 "
		"colour=red"};
	struct apsp_profile profile;
	struct apsp_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(
			apsp_profile_parse(&cases[i].texts, &profile, &err),
			APSP_EMALFORMED);
		if (!strstr(err.message, cases[i].fragment))
			fail_msg("%s", err.message);
	}
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_int_equal(apsp_profile_scan(texts[i], &profile, &err),
			APSP_EDATA);
}

static void test_domains(void **state)
{
	(void)state;
	assert_true(apsp_transform_accepts(APSP_TRANSFORM_NONE, -1));
	assert_false(apsp_transform_accepts(APSP_TRANSFORM_NONE, NAN));
	assert_false(apsp_transform_accepts(APSP_TRANSFORM_NONE, INFINITY));
	assert_true(apsp_transform_accepts(APSP_TRANSFORM_HOPS, -1));
	assert_false(apsp_transform_accepts(APSP_TRANSFORM_HOPS, 0));
	assert_false(apsp_transform_accepts(APSP_TRANSFORM_INV, 0));
	assert_true(apsp_transform_accepts(APSP_TRANSFORM_LOG, 1));
	assert_false(apsp_transform_accepts(APSP_TRANSFORM_LOG, 1.5));
	assert_true(apsp_transform_accepts(APSP_TRANSFORM_LOGNORM, 1.5));
	assert_string_equal(apsp_transform_domain(APSP_TRANSFORM_INV),
		"inv needs a weight above 0");
}

static void test_names(void **state)
{
	char longest[APSP_NAME_SIZE + 1];

	(void)state;
	assert_true(apsp_name_valid("larva_2023.v1~a-b"));
	assert_false(apsp_name_valid(""));
	assert_false(apsp_name_valid(".hidden"));
	assert_false(apsp_name_valid("a/b"));
	memset(longest, 'x', sizeof(longest));
	longest[APSP_NAME_SIZE] = '\0';
	assert_false(apsp_name_valid(longest));
	longest[APSP_NAME_SIZE - 1] = '\0';
	assert_true(apsp_name_valid(longest));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_domains),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
