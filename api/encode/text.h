/*
 * Text that grows at its end. The writers of this directory append to it.
 *
 * Functions that append return no error. If memory is missing, they set
 * `failed` and drop the bytes. So the caller needs to check `failed` only once,
 * before the text is sent, even if a writer has appended a thousand values
 * (api/encode/README.md, One check for memory).
 */
#ifndef APSP_API_ENCODE_TEXT_H
#define APSP_API_ENCODE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "daemon/base/err.h"

/* A struct of zeros is an empty text. */
struct apsp_text {
	char *data; /* owned; not NUL-terminated */
	size_t size;
	size_t room;
	bool failed; /* an allocation has failed, so bytes are missing from
			`data` */
};

/* Free the memory; the text is empty afterwards. Can be used with APSP_AUTO. */
void apsp_text_done(struct apsp_text *text);

/* Empty the text. If its memory has at most kept_max bytes, the memory is kept;
   otherwise it is freed. */
void apsp_text_clear(struct apsp_text *text, size_t kept_max);

/* Returns 0, or APSP_ENOMEM if bytes are missing from the text. */
int apsp_text_check(const struct apsp_text *text, struct apsp_err *err);

/* Get memory for `size` more bytes. If there is no memory, mark the text as
   failed and return false. Only apsp_text_reserve() calls this function. */
bool apsp_text_grow(struct apsp_text *text, size_t size);

/*
 * Reserve `size` bytes behind the text. The caller fills them and adds their
 * number to text->size. NULL: no memory; the text is marked as failed.
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

static inline void apsp_text_string(struct apsp_text *text, const char *string)
{
	apsp_text_append(text, string, strlen(string));
}

/* Append the text that printf() would write. */
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
