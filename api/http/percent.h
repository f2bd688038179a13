/*
 * Percent-encoding (RFC 3986, section 2.1).
 */
#ifndef APSP_API_HTTP_PERCENT_H
#define APSP_API_HTTP_PERCENT_H

#include <stdbool.h>

#include "daemon/base/err.h"

/*
 * Decode percent-encoding in place; with plus, a '+' is a blank.
 * APSP_EMALFORMED: a '%' without two hexadecimal digits, %00, or not UTF-8.
 */
int apsp_percent_decode(char *text, bool plus, struct apsp_err *err);

/*
 * Encode all bytes but RFC 3986's unreserved ones, into malloc()'s memory.
 * NULL: no memory.
 */
char *apsp_percent_encode(const char *text);

#endif
