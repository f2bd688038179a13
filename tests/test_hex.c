/*
 * Bytes as hexadecimal digits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "daemon/base/hex.h"

static void test_digits(void **state)
{
	static const unsigned char bytes[] = {0x00, 0x1f, 0xa0, 0xff};
	char text[2 * sizeof(bytes) + 1];

	(void)state;
	apsp_hex_write(bytes, sizeof(bytes), text);
	assert_string_equal(text, "001fa0ff");
}

static void test_nothing(void **state)
{
	char text[2] = "x";

	(void)state;
	apsp_hex_write("", 0, text);
	assert_string_equal(text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_digits),
		cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
