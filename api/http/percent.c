/*
 * Percent-encoding; see percent.h.
 */
#include "api/http/percent.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/base/hex.h"
#include "daemon/base/utf8.h"

int apsp_percent_decode_all(char *text, bool plus, struct apsp_err *err)
{
	char *out = text;

	for (const char *in = text; *in; in++) {
		int high, low;

		if (*in != '%') {
			*out++ = plus && *in == '+' ? ' ' : *in;
			continue;
		}
		high = apsp_hex_digit(in[1]);
		low = high < 0 ? -1 : apsp_hex_digit(in[2]);
		if (low < 0)
			return apsp_fail(err, APSP_EMALFORMED,
				"a '%%' in the URL is not followed by two "
				"hexadecimal digits");
		if (high == 0 && low == 0)
			return apsp_fail(
				err, APSP_EMALFORMED, "the URL has a %%00");
		*out++ = (char)(high << 4 | low);
		in += 2;
	}
	*out = '\0';
	if (!apsp_utf8_valid(text, (size_t)(out - text)))
		return apsp_fail(err, APSP_EMALFORMED, "the URL is not UTF-8");
	return 0;
}

char *apsp_percent_encode(const char *text)
{
	static const char digits[] = "0123456789ABCDEF";
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "abcdefghijklmnopqrstuvwxyz"
				    "0123456789-._~";
	char *start = calloc(strlen(text) + 1, 3), *out = start;

	for (; start && *text; text++) {
		unsigned char byte = (unsigned char)*text;

		if (strchr(plain, byte)) {
			*out++ = *text;
			continue;
		}
		*out++ = '%';
		*out++ = digits[byte >> 4];
		*out++ = digits[byte & 15];
	}
	return start;
}
