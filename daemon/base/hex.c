/*
 * Writing and reading hexadecimal digits; see hex.h.
 */
#include "daemon/base/hex.h"

void apsp_hex_write(const void *bytes, size_t size, char *out)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *byte = bytes;

	for (size_t i = 0; i < size; i++) {
		*out++ = digits[byte[i] >> 4];
		*out++ = digits[byte[i] & 15];
	}
	*out = '\0';
}

int apsp_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

int apsp_hex_byte(const char *digits)
{
	int high = apsp_hex_digit(digits[0]);
	int low = high < 0 ? -1 : apsp_hex_digit(digits[1]);

	return low < 0 ? -1 : high << 4 | low;
}
