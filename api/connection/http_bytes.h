/*
 * What a byte of a request may be a character of.
 */
#ifndef APSP_API_CONNECTION_HTTP_BYTES_H
#define APSP_API_CONNECTION_HTTP_BYTES_H

#include <stdbool.h>

enum {
	APSP_BYTE_TOKEN = 1, /* RFC 9110, section 5.6.2 */
	APSP_BYTE_TARGET =
		2, /* a URI without a fragment: RFC 3986, section 2 */
};

extern const unsigned char apsp_http_bytes[256];

static inline bool apsp_http_bytes_token(unsigned char c)
{
	return apsp_http_bytes[c] & APSP_BYTE_TOKEN;
}

static inline bool apsp_http_bytes_target(unsigned char c)
{
	return apsp_http_bytes[c] & APSP_BYTE_TARGET;
}

/* A character of a field's value or of a chunk's extension. */
static inline bool apsp_http_bytes_value(unsigned char c)
{
	return (c >= ' ' && c != 0x7f) || c == '\t';
}

#endif
