/*
 * Lists of conditions: what is added is read back, and lists with the same
 * conditions have one canonical form.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/base/conditions.h"
#include "tests/random.h"

static void test_round_trip(void **state)
{
	static const char *const all[] = {
		"type:a, b", "type:50%", "x:%2C", "x:", "label:7:8", "é:ü \""};
	char list[APSP_CONDITIONS_SIZE] = "", found[APSP_CONDITION_SIZE];
	const size_t n = sizeof(all) / sizeof(*all);
	const char *at = list;

	(void)state;
	for (size_t i = 0; i < n; i++)
		assert_true(apsp_conditions_add(list, all[i]));
	for (size_t i = 0; i < n; i++) {
		assert_true(apsp_conditions_next(&at, found));
		assert_string_equal(found, all[i]);
	}
	assert_false(apsp_conditions_next(&at, found));
	assert_int_equal(apsp_condition_name_size("label:7:8"), 5);
	assert_int_equal(apsp_condition_name_size(":x"), 0);
	assert_int_equal(apsp_condition_name_size("x"), 0);
}

static void test_canonical(void **state)
{
	static const struct {
		const char *list, *canonical;
	} cases[] = {
		{"", ""},
		{"b:2,a:1", "a:1,b:2"},
		{"a:1,b:2,a:1", "a:1,b:2"},
		{"a:%2Cx", "a:%2Cx"},
		/* what a client wrote by hand */
		{"a:50%", "a:50%25"},
		{"a:1,", "a:1"},
	};
	static const char *const bad[] = {"a", ":1", "a:1,b", ",a:1"};
	char out[APSP_CONDITIONS_SIZE], again[APSP_CONDITIONS_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_true(apsp_conditions_canonical(cases[i].list, out));
		assert_string_equal(out, cases[i].canonical);
		assert_true(apsp_conditions_canonical(out, again));
		assert_string_equal(again, out);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(apsp_conditions_canonical(bad[i], out));
}

/* Lists up to the limit, and just above it. */
static void test_limit(void **state)
{
	char list[2 * APSP_CONDITIONS_SIZE], out[APSP_CONDITIONS_SIZE];
	char small[APSP_CONDITIONS_SIZE];
	uint64_t seed = 5;

	(void)state;
	for (unsigned round = 0; round < 20000; round++) {
		static const char bytes[] = "a:,%2Cb5";
		size_t size =
			APSP_WITHOUT_BYTES_MAX - 20 + random_below(&seed, 30);

		if (round % 2)
			size = random_below(&seed, 40);
		for (size_t i = 0; i < size; i++)
			list[i] = bytes[random_below(&seed, sizeof(bytes) - 1)];
		list[size] = '\0';
		if (apsp_conditions_canonical(list, out))
			assert_true(strlen(out) <= APSP_WITHOUT_BYTES_MAX);
	}
	memset(list, 'x', APSP_WITHOUT_BYTES_MAX + 1);
	list[1] = ':';
	list[APSP_WITHOUT_BYTES_MAX + 1] = '\0';
	assert_false(apsp_conditions_canonical(list, out));
	*small = '\0';
	assert_false(apsp_conditions_add(small, list));
	assert_string_equal(small, "");
	list[APSP_WITHOUT_BYTES_MAX] = '\0';
	assert_true(apsp_conditions_canonical(list, out));
	assert_string_equal(out, list);
	assert_true(apsp_conditions_add(small, list));
	assert_false(apsp_conditions_add(small, "a:1"));
	assert_string_equal(small, list);
}

/* As many conditions as a list can have. */
static void test_many(void **state)
{
	char list[APSP_CONDITIONS_SIZE] = "", out[APSP_CONDITIONS_SIZE];
	unsigned n = 0;

	(void)state;
	while (apsp_conditions_add(list, "a:"))
		n++;
	assert_int_equal(n, (APSP_WITHOUT_BYTES_MAX + 1) / 3);
	assert_true(apsp_conditions_canonical(list, out));
	assert_string_equal(out, "a:");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_canonical),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
