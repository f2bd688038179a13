/*
 * Errors: codes and names match, messages are cut and cleaned.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/base/err.h"

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(apsp_code_name(APSP_ENEGCYCLE), "negative-cycle");
#define CODE(code, number, name)                                               \
	assert_string_equal(apsp_code_name(code), name);                       \
	if ((code) != APSP_EBADVERTEX)                                         \
		assert_int_equal(apsp_code_from_name(name), number);
#include "daemon/base/codes.def"
#undef CODE
	assert_int_equal(apsp_code_from_name("no such"), APSP_EBUG);
}

static void test_message(void **state)
{
	struct apsp_err err;
	char text[2 * APSP_MESSAGE_SIZE];

	(void)state;
	assert_int_equal(
		apsp_fail(&err, APSP_EDATA, "a\nb\x7f%d", 7), APSP_EDATA);
	assert_string_equal(err.message, "a?b?7");
	assert_int_equal(err.line, 0);

	/* three-byte characters, so that the cut must step back */
	for (size_t i = 0; i + 3 < sizeof(text); i += 3)
		memcpy(text + i, "\xe2\x82\xac", 4);
	apsp_fail_at(&err, APSP_EDATA, 3, 4, "%s", text);
	assert_true(strlen(err.message) < APSP_MESSAGE_SIZE);
	assert_int_equal(strlen(err.message) % 3, 0);
	assert_string_equal(err.message + strlen(err.message) - 3, "…");
	assert_int_equal(err.line, 3);
	assert_int_equal(err.column, 4);

	apsp_fail(&err, APSP_EDATA, "%s", "a\xff\xe2\x82 \xc3\xa9");
	assert_string_equal(err.message, "a??? \xc3\xa9");
	/* no byte of it begins a character */
	memset(text, 0x80, sizeof(text) - 1);
	apsp_fail(&err, APSP_EDATA, "%s", text);
	assert_int_equal(err.message[0], '?');
	assert_string_equal(err.message + strlen(err.message) - 3, "…");

	assert_int_equal(apsp_fail_errno(&err, ENOSPC, "write"), APSP_ENOSPACE);
	assert_int_equal(apsp_fail_errno(&err, EMFILE, "open"), APSP_EBUSY);
	assert_int_equal(apsp_fail(NULL, APSP_EIO, "nobody listens"), APSP_EIO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
