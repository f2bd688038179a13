/*
 * Text in fixed memory: whole, or not at all. A text that is cut is another
 * text; as a name it is another thing's name.
 */
#ifndef APSP_DAEMON_BASE_FIXED_TEXT_H
#define APSP_DAEMON_BASE_FIXED_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Copy text with its NUL to the size bytes at out. False, and out is as it was:
 * the text does not fit.
 */
__attribute__((warn_unused_result)) bool apsp_fixed_text_set(
	char *out, size_t size, const char *text);

#endif
