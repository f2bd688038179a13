/*
 * Copying texts to memory of a fixed size, either completely or not at all,
 * because a truncated name could be the name of something else. This file also
 * makes and searches lists of names.
 */
#ifndef APSP_DAEMON_BASE_FIXED_TEXT_H
#define APSP_DAEMON_BASE_FIXED_TEXT_H

#include <stdbool.h>
#include <stddef.h>

enum {
	/* largest size of a list of names in a message, in bytes; it leaves
	   space for a sentence in the message */
	APSP_FIXED_LIST_SIZE = 360,
};

/*
 * Copy `text` with its NUL to `out`, which has `size` bytes. False: the text
 * does not fit, and `out` is unchanged.
 */
__attribute__((warn_unused_result)) bool apsp_fixed_text_set(
	char *out, size_t size, const char *text);

/*
 * Write a list for messages, such as "a, b, c", to `out`, which has `size`
 * bytes. `names` ends with NULL. A list that does not fit ends with the last
 * name that fits.
 */
void apsp_fixed_text_list(char *out, size_t size, const char *const *names);

/* Whether `name` is in the list `names`, which ends with NULL. A list that is
   NULL is empty. */
bool apsp_fixed_text_is_among(const char *const *names, const char *name);

#endif
