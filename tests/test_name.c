/*
 * Names, and text in fixed memory: whole or not at all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/base/fixed_text.h"
#include "daemon/base/name.h"

static void test_fixed_text(void **state)
{
	char out[5] = "old";

	(void)state;
	assert_false(apsp_fixed_text_set(out, sizeof(out), "12345"));
	assert_string_equal(out, "old");
	assert_true(apsp_fixed_text_set(out, sizeof(out), "1234"));
	assert_string_equal(out, "1234");
	assert_true(apsp_fixed_text_set(out, sizeof(out), ""));
	assert_string_equal(out, "");
}

/* A list ends with the last name that fits. */
static void test_fixed_list(void **state)
{
	static const char *const names[] = {"ab", "c", "d", NULL};
	static const struct {
		size_t size;
		const char *list;
	} cases[] = {{1, ""}, {2, ""}, {3, "ab"}, {5, "ab"}, {6, "ab, c"},
		{8, "ab, c"}, {9, "ab, c, d"}, {20, "ab, c, d"}};
	char out[20];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		apsp_fixed_text_list(out, cases[i].size, names);
		assert_string_equal(out, cases[i].list);
	}
	apsp_fixed_text_list(out, sizeof(out), names + 3);
	assert_string_equal(out, "");
}

static void test_names(void **state)
{
	static const char *const refused[] = {
		"", ".", ".a", "a b", "a/b", "\xc3\xa9", "a\n"};
	char longest[APSP_NAME_SIZE], longer[APSP_NAME_SIZE + 1];
	char out[APSP_NAME_SIZE] = "old";
	struct apsp_err err;

	(void)state;
	memset(longest, 'a', sizeof(longest));
	longest[APSP_NAME_SIZE - 1] = '\0';
	memset(longer, 'a', sizeof(longer));
	longer[APSP_NAME_SIZE] = '\0';
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		assert_int_equal(apsp_name_set(out, "graph", refused[i], &err),
			APSP_EMALFORMED);
	assert_int_equal(
		apsp_name_set(out, "graph", longer, &err), APSP_EMALFORMED);
	assert_non_null(strstr(err.message, "cannot name a graph"));
	assert_string_equal(out, "old");
	assert_int_equal(apsp_name_set(out, "graph", longest, &err), 0);
	assert_string_equal(out, longest);
	assert_int_equal(apsp_name_set(out, "graph", "A.z_9~-", &err), 0);
	assert_string_equal(out, "A.z_9~-");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fixed_text),
		cmocka_unit_test(test_fixed_list),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
