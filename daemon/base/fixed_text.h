/*
 * Copying a text to memory of a fixed size, either completely or not at all,
 * because a truncated name could be the name of something else.
 */
#ifndef APSP_DAEMON_BASE_FIXED_TEXT_H
#define APSP_DAEMON_BASE_FIXED_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Copy `text` with its NUL to `out`, which has `size` bytes. False: the text
 * does not fit, and `out` is unchanged.
 */
__attribute__((warn_unused_result)) bool apsp_fixed_text_set(
	char *out, size_t size, const char *text);

#endif
