/*
 * UTF-8 from clients and drivers: whether it is, and what of it is safe to
 * show.
 */
#ifndef APSP_BASE_UTF8_H
#define APSP_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether text is well-formed UTF-8 (RFC 3629: no surrogates, nothing overlong,
 * nothing past U+10FFFF) without NUL.
 */
bool apsp_utf8_valid(const char *text, size_t size);

/* Turn the bytes of text that are no UTF-8 into '?'. */
void apsp_utf8_clean(char *text);

/* A few bytes of a client's text, fit for any message: always valid UTF-8. */
struct apsp_excerpt {
	char text[48];
};

/* Bytes that are no UTF-8 become '?'; a cut is marked. */
struct apsp_excerpt apsp_excerpt_of(const char *text, size_t size);

#endif
