/*
 * Sets of characters that framing.c accepts in a request's head.
 */
#ifndef APSP_API_CONNECTION_CHARACTERS_H
#define APSP_API_CONNECTION_CHARACTERS_H

#include <stdbool.h>

/* Two sets of characters. A bit stands for each set. */
enum apsp_character_sets {
	/* the characters of a token, such as the name of a header (RFC 9110,
	   section 5.6.2) */
	APSP_TOKEN = 1,
	/* the characters of a URI without a fragment (RFC 3986, section 2) */
	APSP_TARGET = 2,
	APSP_BOTH = APSP_TOKEN | APSP_TARGET,
};

/* For each character, the sets that contain it, as bits. */
/* clang-format off */
static const unsigned char apsp_sets_of_character[256] = {
	['0' ... '9'] = APSP_BOTH, ['A' ... 'Z'] = APSP_BOTH,
	['a' ... 'z'] = APSP_BOTH, ['!'] = APSP_BOTH, ['#'] = APSP_TOKEN,
	['$' ... '\''] = APSP_BOTH, ['('] = APSP_TARGET, [')'] = APSP_TARGET,
	['*'] = APSP_BOTH, ['+'] = APSP_BOTH, [','] = APSP_TARGET,
	['-'] = APSP_BOTH, ['.'] = APSP_BOTH, ['/'] = APSP_TARGET,
	[':'] = APSP_TARGET, [';'] = APSP_TARGET, ['='] = APSP_TARGET,
	['?'] = APSP_TARGET, ['@'] = APSP_TARGET, ['['] = APSP_TARGET,
	[']'] = APSP_TARGET, ['^'] = APSP_TOKEN, ['_'] = APSP_BOTH,
	['`'] = APSP_TOKEN, ['|'] = APSP_TOKEN, ['~'] = APSP_BOTH,
};
/* clang-format on */

static inline bool apsp_character_is_token(unsigned char c)
{
	return apsp_sets_of_character[c] & APSP_TOKEN;
}

static inline bool apsp_character_is_target(unsigned char c)
{
	return apsp_sets_of_character[c] & APSP_TARGET;
}

/* Whether c is allowed in the value of a header or trailer, and in a chunk's
   extension. */
static inline bool apsp_character_is_value(unsigned char c)
{
	return (c >= ' ' && c != 0x7f) || c == '\t';
}

#endif
