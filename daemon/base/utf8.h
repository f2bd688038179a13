/*
 * Checking whether a text from a client or a driver is UTF-8, and making the
 * text safe to show.
 */
#ifndef APSP_DAEMON_BASE_UTF8_H
#define APSP_DAEMON_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Return whether `text` is well-formed UTF-8 (RFC 3629: no surrogates, nothing
 * overlong, nothing past U+10FFFF) and contains no NUL.
 */
bool apsp_utf8_valid(const char *text, size_t size);

/* Put '?' in place of each byte of `text` that is not part of valid UTF-8. */
void apsp_utf8_clean(char *text);

/* Return the largest size, at most `size`, to which `text` can be cut without
   cutting a character. The text is valid UTF-8 and has more than `size` bytes.
   */
size_t apsp_utf8_cut(const char *text, size_t size);

/* The beginning of a client's text, for use in a message. An excerpt is always
   valid UTF-8. */
struct apsp_excerpt {
	char text[48];
};

/* Make an excerpt of a text. '?' replaces each byte that is not part of valid
   UTF-8. If the text is too long, it is cut and ends with "…". */
struct apsp_excerpt apsp_excerpt_of(const char *text, size_t size);

#endif
