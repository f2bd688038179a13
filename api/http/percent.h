/*
 * Percent-encoding (RFC 3986, section 2.1).
 */
#ifndef APSP_API_HTTP_PERCENT_H
#define APSP_API_HTTP_PERCENT_H

#include <stdbool.h>
#include <string.h>

#include "daemon/base/err.h"

/* For apsp_percent_decode() alone. */
int apsp_percent_decode_all(char *text, bool plus, struct apsp_err *err);

/*
 * Decode percent-encoding in place; with plus, a '+' is a blank. The text is of
 * a target that the framing has accepted, and so has only ASCII characters.
 * APSP_EMALFORMED: a '%' without two hexadecimal digits, %00, or not UTF-8.
 */
static inline int apsp_percent_decode(
	char *text, bool plus, struct apsp_err *err)
{
	return strpbrk(text, "%+") ? apsp_percent_decode_all(text, plus, err)
				   : 0;
}

/*
 * Encode all bytes but RFC 3986's unreserved ones, into malloc()'s memory.
 * NULL: no memory.
 */
char *apsp_percent_encode(const char *text);

#endif
