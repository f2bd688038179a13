/*
 * The table of bytes; see http_bytes.h.
 */
#include "api/connection/http_bytes.h"

enum {
	T = APSP_BYTE_TOKEN,
	U = APSP_BYTE_TARGET,
	B = T | U,
};

/* clang-format off */
const unsigned char apsp_http_bytes[256] = {
	['0' ... '9'] = B, ['A' ... 'Z'] = B, ['a' ... 'z'] = B,
	['!'] = B, ['#'] = T, ['$' ... '\''] = B, ['('] = U, [')'] = U,
	['*'] = B, ['+'] = B, [','] = U, ['-'] = B, ['.'] = B, ['/'] = U,
	[':'] = U, [';'] = U, ['='] = U, ['?'] = U, ['@'] = U, ['['] = U,
	[']'] = U, ['^'] = T, ['_'] = B, ['`'] = T, ['|'] = T, ['~'] = B,
};
/* clang-format on */
