/*
 * Text that grows at its end: what the writers of this room append to.
 *
 * Appending does not fail: where there is no memory, the text is marked, and
 * all that follows is dropped. So a writer appends a thousand things, and its
 * caller looks at the mark once, before any of the text leaves
 * (api/encode/README.md, One look for memory).
 */
#ifndef APSP_API_ENCODE_TEXT_H
#define APSP_API_ENCODE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "daemon/base/err.h"

/* Zero is an empty text. */
struct apsp_text {
	char *data; /* owned; not NUL-terminated */
	size_t size;
	size_t room;
	bool failed; /* no memory: data is not whole */
};

/* Free the memory; the text is empty afterwards. Also for APSP_AUTO. */
void apsp_text_done(struct apsp_text *text);

/* Forget the bytes and keep the memory, unless it has more than kept_max. */
void apsp_text_clear(struct apsp_text *text, size_t kept_max);

/* 0, or APSP_ENOMEM if the text is not whole. */
int apsp_text_check(const struct apsp_text *text, struct apsp_err *err);

/* For apsp_text_reserve() only. False: no memory; the text is marked. */
bool apsp_text_grow(struct apsp_text *text, size_t size);

/*
 * Make room for size bytes behind the text. The caller fills them and adds to
 * text->size. NULL: no memory; the text is marked.
 */
static inline char *apsp_text_reserve(struct apsp_text *text, size_t size)
{
	if (text->room - text->size < size && !apsp_text_grow(text, size))
		return NULL;
	return text->data + text->size;
}

static inline void apsp_text_append(
	struct apsp_text *text, const void *data, size_t size)
{
	char *at = apsp_text_reserve(text, size);

	if (!at)
		return;
	memcpy(at, data, size);
	text->size += size;
}

/* Append what printf() would write. */
__attribute__((format(printf, 2, 3))) void apsp_text_printf(
	struct apsp_text *text, const char *format, ...);

static inline void apsp_text_byte(struct apsp_text *text, char byte)
{
	char *at = apsp_text_reserve(text, 1);

	if (!at)
		return;
	*at = byte;
	text->size++;
}

#endif
