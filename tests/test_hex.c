/*
 * Bytes as hexadecimal digits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

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

static void test_values(void **state)
{
	static const char digits[] = "0123456789abcdef";

	(void)state;
	for (int c = 0; c < 256; c++) {
		const char *at = c ? strchr(digits, c) : NULL;

		if (!at && c >= 'A' && c <= 'F')
			at = digits + 10 + (c - 'A');
		assert_int_equal(
			apsp_hex_digit((char)c), at ? (int)(at - digits) : -1);
	}
}

static void test_bytes(void **state)
{
	(void)state;
	assert_int_equal(apsp_hex_byte("00"), 0x00);
	assert_int_equal(apsp_hex_byte("fA1"), 0xfa);
	assert_int_equal(apsp_hex_byte("g0"), -1);
	assert_int_equal(apsp_hex_byte("0g"), -1);
	assert_int_equal(apsp_hex_byte("a"), -1);
	assert_int_equal(apsp_hex_byte(""), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_digits),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
