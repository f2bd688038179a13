/*
 * Profiles: parsing with defaults, refusals, the canonical text and back.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/job/profile.h"
#include "daemon/job/profile_domain.h"
#include "daemon/job/profile_text.h"

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
		texts.value[APSP_OPTION_TRANSFORM] =
			apsp_transform_name((enum apsp_transform)t);
		assert_int_equal(apsp_profile_parse(&texts, &profile, NULL), 0);
		assert_int_equal(profile.transform, t);
		assert_int_equal(profile.duplicates, APSP_DUPLICATES_SUM);
	}
	assert_null(apsp_transform_name((enum apsp_transform)5));
}

static void test_round_trip(void **state)
{
	const struct apsp_profile_texts texts = {{
		[APSP_OPTION_TRANSFORM] = "inv",
		[APSP_OPTION_DUPLICATES] = "last",
		[APSP_OPTION_INVALID] = "drop",
		[APSP_OPTION_PRECISION] = "float64",
		[APSP_OPTION_MIN_WEIGHT] = "0.1",
		[APSP_OPTION_ALGORITHM] = "blocked-fw",
	}};
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
	assert_true(apsp_profile_equal(&profile, &again));
	again.min_weight = 0.2;
	assert_false(apsp_profile_equal(&profile, &again));
}

static void test_refusals(void **state)
{
	static const struct {
		enum apsp_profile_option option;
		const char *text, *fragment;
	} cases[] = {
		{APSP_OPTION_TRANSFORM, "sqrt",
			"'sqrt', expected one of none, hops"},
		{APSP_OPTION_DUPLICATES, "", "duplicates is ''"},
		{APSP_OPTION_INVALID, "keep", "expected one of error, drop"},
		{APSP_OPTION_PRECISION, "half", "precision is 'half'"},
		{APSP_OPTION_MIN_WEIGHT, "inf", "min_weight is 'inf'"},
		{APSP_OPTION_MIN_WEIGHT, "5x", "expected a finite number"},
		{APSP_OPTION_MIN_WEIGHT, "1e-400", "number of 64-bit"},
		{APSP_OPTION_NORMALISE, "both",
			"'both', expected none, input or output"},
		{APSP_OPTION_MIN_SHARE, "5", "expected a share from 0 to 1"},
		{APSP_OPTION_MIN_SHARE, "-0.1", "expected a share from 0 to 1"},
		{APSP_OPTION_MIN_SHARE, "nan", "expected a share from 0 to 1"},
		{APSP_OPTION_MIN_SHARE, "0.1", "add normalise=input or"},
		{APSP_OPTION_WITHOUT, "KC", "without is 'KC', expected cond"},
		{APSP_OPTION_WITHOUT, "a:1,:2", "like type:KC or label:29"},
		{APSP_OPTION_ALGORITHM, "a b", "algorithm is 'a b'"},
		{APSP_OPTION_ALGORITHM, "a-name-that-is-much-too-long-for-us",
			"31"},
	};
	static const char *const texts[] = {"", " ", "transform",
		"transform=inv path=widest", "transform=none path=narrow",
		"transform=none measures=betweenness path=widest",
		"transform=none tables=none path=widest", "transform=sqrt",
		"duplicates=min", "transform=inv=log",
		"transform=none transform=inv",
		"transform=none duplicates=min invalid=error precision=float32 "
		"colour=red",
		"transform=none algorithm=a-name-that-is-much-too-long-for-us"
		"-and-for-everybody-else"};
	struct apsp_profile profile;
	struct apsp_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct apsp_profile_texts given = {0};

		given.value[cases[i].option] = cases[i].text;
		assert_int_equal(apsp_profile_parse(&given, &profile, &err),
			APSP_EMALFORMED);
		if (!strstr(err.message, cases[i].fragment))
			fail_msg("%s", err.message);
	}
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_int_equal(apsp_profile_scan(texts[i], &profile, &err),
			APSP_EDATA);
}

/* Texts of other versions: what they do not say is as by default. */
static void test_scan_lenient(void **state)
{
	static const char *const texts[] = {"transform=none",
		"  transform=none  duplicates=min invalid=error ",
		"duplicates=min transform=none precision=float32",
		"precision=float32 transform=none"};
	const struct apsp_profile wanted = {.duplicates = APSP_DUPLICATES_MIN};
	struct apsp_profile profile;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		assert_int_equal(
			apsp_profile_scan(texts[i], &profile, NULL), 0);
		assert_true(apsp_profile_equal(&profile, &wanted));
	}
	assert_int_equal(apsp_profile_scan("min_weight=0.1 transform=inv",
				 &profile, NULL),
		0);
	assert_true(profile.has_min_weight && profile.min_weight == 0.1);
}

/* What api/ makes of the options: names, kinds, values. */
static void test_options(void **state)
{
	struct apsp_profile profile = {.transform = APSP_TRANSFORM_LOG};
	char value[APSP_PROFILE_VALUE_SIZE];

	(void)state;
	for (int i = 0; i < APSP_PROFILE_OPTIONS; i++) {
		enum apsp_profile_option option = (enum apsp_profile_option)i;
		bool set = apsp_profile_option_print(&profile, option, value);

		assert_non_null(apsp_profile_option_name(option));
		assert_int_equal(set, option < APSP_OPTION_MIN_WEIGHT);
		assert_int_equal(set, *value != '\0');
	}
	assert_int_equal(apsp_profile_option_form(APSP_OPTION_MIN_WEIGHT),
		APSP_FORM_NUMBER);
	assert_int_equal(apsp_profile_option_form(APSP_OPTION_ALGORITHM),
		APSP_FORM_TEXT);
	apsp_profile_option_print(&profile, APSP_OPTION_TRANSFORM, value);
	assert_string_equal(value, "log");
}

/* A list of words; "none" stands for none, which has no text. */
static void test_measures(void **state)
{
	static const struct {
		const char *text;
		int asks; /* -1: refused */
	} cases[] = {{"betweenness", 1}, {"betweenness,betweenness", 1},
		{"none", 0}, {"", 0}, {"closeness", -1}, {"betweenness,", -1},
		{"betweennes", -1}, {"betweenness,none", -1}};
	char text[APSP_PROFILE_TEXT_SIZE], plain[APSP_PROFILE_TEXT_SIZE];
	struct apsp_profile profile, back;
	struct apsp_profile_texts texts = {
		.value = {[APSP_OPTION_TRANSFORM] = "inv"}};

	(void)state;
	assert_int_equal(apsp_profile_parse(&texts, &profile, NULL), 0);
	apsp_profile_format(&profile, plain);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct apsp_err err;

		texts.value[APSP_OPTION_MEASURES] = cases[i].text;
		if (cases[i].asks < 0) {
			assert_int_equal(
				apsp_profile_parse(&texts, &profile, &err),
				APSP_EMALFORMED);
			assert_non_null(strstr(
				err.message, "expected betweenness, or none"));
			continue;
		}
		assert_int_equal(apsp_profile_parse(&texts, &profile, NULL), 0);
		assert_int_equal(profile.measures == APSP_MEASURE_BETWEENNESS,
			cases[i].asks);
		apsp_profile_format(&profile, text);
		assert_int_equal(strcmp(text, plain) != 0, cases[i].asks);
		assert_int_equal(apsp_profile_scan(text, &back, NULL), 0);
		assert_true(apsp_profile_equal(&profile, &back));
	}
	assert_int_equal(
		apsp_profile_option_form(APSP_OPTION_MEASURES), APSP_FORM_LIST);
}

/* path=widest adds up duplicates, and its text is the last; path=shortest has
   no text. */
static void test_widest(void **state)
{
	struct apsp_profile_texts texts = {
		.value = {[APSP_OPTION_PATH] = "widest"}};
	struct apsp_profile profile, back;
	char text[APSP_PROFILE_TEXT_SIZE];
	struct apsp_err err;

	(void)state;
	assert_int_equal(apsp_profile_parse(&texts, &profile, NULL), 0);
	apsp_profile_format(&profile, text);
	assert_string_equal(text, "transform=none duplicates=sum invalid=error "
				  "precision=float32 tables=distance "
				  "path=widest");
	assert_int_equal(apsp_profile_scan(text, &back, NULL), 0);
	assert_true(apsp_profile_equal(&profile, &back));
	assert_null(apsp_profile_refusal(&profile, 5e-324));
	assert_non_null(apsp_profile_refusal(&profile, 0));
	assert_non_null(apsp_profile_refusal(&profile, -1));
	assert_string_equal(apsp_profile_refusal(&profile, INFINITY),
		"every rule needs a finite weight");
	assert_non_null(apsp_profile_refusal(&profile, NAN));
	assert_string_equal(apsp_profile_refusal(&profile, 0),
		"path=widest needs a weight above 0");

	texts.value[APSP_OPTION_DUPLICATES] = "max";
	assert_int_equal(apsp_profile_parse(&texts, &profile, NULL), 0);
	assert_int_equal(profile.duplicates, APSP_DUPLICATES_MAX);
	texts.value[APSP_OPTION_TRANSFORM] = "log";
	assert_int_equal(
		apsp_profile_parse(&texts, &profile, &err), APSP_EMALFORMED);
	assert_non_null(strstr(err.message, "transform is 'log'"));
	texts = (struct apsp_profile_texts){
		.value = {[APSP_OPTION_PATH] = "shortest"}};
	assert_int_equal(apsp_profile_parse(&texts, &profile, NULL), 0);
	apsp_profile_format(&profile, text);
	assert_null(strstr(text, "path"));
	assert_null(apsp_profile_refusal(&profile, -1));
	assert_string_equal(apsp_profile_refusal(&profile, NAN),
		"none needs a finite weight");
}

static bool accepts(enum apsp_transform transform, double weight)
{
	const struct apsp_profile profile = {.transform = transform};

	return !apsp_profile_value_refusal(&profile, weight);
}

static void test_domains(void **state)
{
	(void)state;
	for (int i = APSP_TRANSFORM_NONE; i <= APSP_TRANSFORM_LOGNORM; i++) {
		const struct apsp_profile profile = {
			.transform = (enum apsp_transform)i};

		/* an infinite weight is above 0, so this is not the reason */
		assert_string_equal(
			apsp_profile_value_refusal(&profile, INFINITY),
			"every rule needs a finite weight");
		assert_non_null(apsp_profile_value_refusal(&profile, NAN));
	}
	assert_true(accepts(APSP_TRANSFORM_NONE, -1));
	assert_false(accepts(APSP_TRANSFORM_NONE, NAN));
	assert_false(accepts(APSP_TRANSFORM_NONE, INFINITY));
	assert_true(accepts(APSP_TRANSFORM_HOPS, -1));
	assert_false(accepts(APSP_TRANSFORM_HOPS, 0));
	assert_false(accepts(APSP_TRANSFORM_INV, 0));
	assert_false(accepts(APSP_TRANSFORM_INV, 0x1p-1024));
	assert_true(accepts(APSP_TRANSFORM_INV, nextafter(0x1p-1024, 1)));
	assert_true(accepts(APSP_TRANSFORM_LOG, 1));
	assert_false(accepts(APSP_TRANSFORM_LOG, 1.5));
	assert_true(accepts(APSP_TRANSFORM_LOGNORM, 1.5));
	assert_string_equal(
		apsp_profile_value_refusal(
			&(struct apsp_profile){.transform = APSP_TRANSFORM_INV},
			0),
		"inv needs a weight above 0");
}

static void test_equal(void **state)
{
	const struct apsp_profile_texts texts = {
		.value = {[APSP_OPTION_TRANSFORM] = "inv",
			[APSP_OPTION_MIN_WEIGHT] = "5"}};
	struct apsp_profile a, b;

	(void)state;
	assert_int_equal(apsp_profile_parse(&texts, &a, NULL), 0);
	memset(&b, 0xff, sizeof(b)); /* padding must not count */
	assert_int_equal(apsp_profile_parse(&texts, &b, NULL), 0);
	assert_true(apsp_profile_equal(&a, &b));
	b.min_weight = 6;
	assert_false(apsp_profile_equal(&a, &b));
}

/* Rules of older versions keep their text, and so their hash. */
static void test_shares(void **state)
{
	struct apsp_profile_texts texts = {
		.value = {[APSP_OPTION_TRANSFORM] = "log",
			[APSP_OPTION_NORMALISE] = "none"}};
	struct apsp_profile a, b;
	char text[APSP_PROFILE_TEXT_SIZE];

	(void)state;
	assert_int_equal(apsp_profile_parse(&texts, &a, NULL), 0);
	apsp_profile_format(&a, text);
	assert_string_equal(text,
		"transform=log duplicates=sum invalid=error precision=float32");
	assert_non_null(apsp_profile_refusal(&a, 5));
	texts.value[APSP_OPTION_NORMALISE] = "input";
	texts.value[APSP_OPTION_MIN_SHARE] = "0.01";
	assert_int_equal(apsp_profile_parse(&texts, &b, NULL), 0);
	apsp_profile_format(&b, text);
	assert_string_equal(text,
		"transform=log duplicates=sum invalid=error precision=float32 "
		"normalise=input min_share=0.01");
	assert_int_equal(apsp_profile_difference(&a, &b, APSP_EFFECT_ARCS),
		APSP_OPTION_NORMALISE);
	assert_int_equal(apsp_profile_scan(text, &a, NULL), 0);
	assert_true(apsp_profile_equal(&a, &b));
	a.min_share = 0.02;
	assert_int_equal(apsp_profile_difference(&a, &b, APSP_EFFECT_ARCS),
		APSP_OPTION_MIN_SHARE);
	/* a share is at most 1, however large its weight */
	assert_null(apsp_profile_refusal(&b, 5));
	assert_non_null(apsp_profile_refusal(&b, 0));
	assert_non_null(apsp_profile_refusal(&b, -1));
	assert_non_null(apsp_profile_refusal(&b, INFINITY));
	b.transform = APSP_TRANSFORM_NONE;
	assert_null(apsp_profile_refusal(&b, 0));
	assert_non_null(apsp_profile_refusal(&b, -1));
	assert_non_null(strstr(apsp_profile_refusal(&b, -1), "0 or more"));
}

/* Options that leave arcs out keep the unit of lengths; all others that change
   lengths change it. */
static void test_units(void **state)
{
	static const struct {
		const char *rule;
		enum apsp_profile_option differs;
	} cases[] = {
		{"transform=inv min_weight=3", APSP_PROFILE_OPTIONS},
		{"transform=inv invalid=drop precision=float64 tables=all",
			APSP_PROFILE_OPTIONS},
		{"transform=inv normalise=input min_share=0.1",
			APSP_OPTION_NORMALISE},
		{"transform=inv min_weight=3 duplicates=max",
			APSP_OPTION_DUPLICATES},
		{"transform=log min_weight=3", APSP_OPTION_TRANSFORM},
	};
	struct apsp_profile whole, other;

	(void)state;
	assert_int_equal(apsp_profile_scan("transform=inv", &whole, NULL), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(
			apsp_profile_scan(cases[i].rule, &other, NULL), 0);
		assert_int_equal(apsp_profile_difference(
					 &whole, &other, APSP_EFFECT_UNITS),
			cases[i].differs);
		assert_int_equal(apsp_profile_difference(
					 &other, &whole, APSP_EFFECT_UNITS),
			cases[i].differs);
		other.min_share /= 2;
		assert_int_equal(apsp_profile_difference(
					 &other, &whole, APSP_EFFECT_UNITS),
			cases[i].differs);
	}
	/* a path of 2 arcs has the length 2 by each of these rules */
	assert_int_equal(apsp_profile_scan("transform=hops", &whole, NULL), 0);
	assert_int_equal(apsp_profile_scan("transform=hops duplicates=max "
					   "normalise=input min_share=0.1",
				 &other, NULL),
		0);
	assert_int_equal(
		apsp_profile_difference(&whole, &other, APSP_EFFECT_UNITS),
		APSP_PROFILE_OPTIONS);
	assert_int_equal(
		apsp_profile_difference(&whole, &other, APSP_EFFECT_ARCS),
		APSP_OPTION_DUPLICATES);
}

/* Values with any bytes survive the canonical text. */
static void test_choices(void **state)
{
	struct apsp_profile_texts texts = {
		.value = {
			[APSP_OPTION_TRANSFORM] = "log",
			[APSP_OPTION_NORMALISE] = "output",
			[APSP_OPTION_NORMALISE_BY] = "post count=\"%",
			[APSP_OPTION_WITHOUT] =
				"type:PN left,label:9,type:x%2Cy",
		}};
	struct apsp_profile a, b;
	char text[APSP_PROFILE_TEXT_SIZE], longest[APSP_CONDITIONS_SIZE];
	struct apsp_err err;

	(void)state;
	assert_int_equal(apsp_profile_parse(&texts, &a, NULL), 0);
	assert_true(apsp_profile_chooses(&a));
	apsp_profile_format(&a, text);
	assert_string_equal(text,
		"transform=log duplicates=sum invalid=error "
		"precision=float32 "
		"normalise=output normalise_by=post%20count=%22%25 "
		"without=label:9,type:PN%20left,type:x%252Cy");
	assert_int_equal(apsp_profile_scan(text, &b, NULL), 0);
	assert_true(apsp_profile_equal(&a, &b));
	assert_string_equal(b.normalise_by, "post count=\"%");
	assert_string_equal(b.without, "label:9,type:PN left,type:x%2Cy");
	/* another order of the conditions is the same rule */
	texts.value[APSP_OPTION_WITHOUT] = "type:x%2Cy,type:PN left,label:9";
	assert_int_equal(apsp_profile_parse(&texts, &b, NULL), 0);
	assert_true(apsp_profile_equal(&a, &b));
	texts.value[APSP_OPTION_WITHOUT] = "";
	assert_int_equal(apsp_profile_parse(&texts, &b, NULL), 0);
	assert_int_equal(apsp_profile_difference(&a, &b, APSP_EFFECT_ARCS),
		APSP_OPTION_WITHOUT);
	/* the longest value, each byte of which is encoded */
	memset(longest, ' ', sizeof(longest));
	longest[0] = 'a';
	longest[1] = ':';
	longest[APSP_WITHOUT_BYTES_MAX] = '\0';
	texts.value[APSP_OPTION_WITHOUT] = longest;
	assert_int_equal(apsp_profile_parse(&texts, &a, NULL), 0);
	apsp_profile_format(&a, text);
	assert_int_equal(apsp_profile_scan(text, &b, NULL), 0);
	assert_true(apsp_profile_equal(&a, &b));
	/* broken encodings */
	for (const char *const *bad =
			(const char *const[]){"%", "%2", "%zz", "%00", NULL};
		*bad; bad++) {
		snprintf(
			text, sizeof(text), "transform=inv without=a:%s", *bad);
		assert_int_equal(apsp_profile_scan(text, &b, NULL), APSP_EDATA);
	}
	texts.value[APSP_OPTION_NORMALISE] = NULL;
	assert_int_equal(apsp_profile_parse(&texts, &b, &err), APSP_EMALFORMED);
	assert_non_null(strstr(err.message, "normalise_by needs shares"));
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
		cmocka_unit_test(test_scan_lenient),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_measures),
		cmocka_unit_test(test_widest),
		cmocka_unit_test(test_domains),
		cmocka_unit_test(test_equal),
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_choices),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
