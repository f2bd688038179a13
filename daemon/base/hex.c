/*
 * Bytes as hexadecimal digits; see hex.h.
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
